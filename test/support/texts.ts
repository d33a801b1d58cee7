import fc from 'fast-check';

// What `fc.string({ unit: 'binary' })` and `fc.webUrl()` make too: for those, fast-check builds a map of a million characters,
// which takes a second of a core and then stays in the memory of the process that runs all files.

/** Any character but half of a surrogate pair, for `unit`. */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

const urlCharacter = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(..."abcxyzABCXYZ0189-._~!$&'()*+,;=:@".split('')) },
  { weight: 1, arbitrary: anyCharacter.map((character) => encodeURIComponent(character)) },
);
const segment = fc.string({ unit: urlCharacter, maxLength: 12 });
const tail = fc.string({ unit: fc.oneof(urlCharacter, fc.constantFrom('/', '?')), maxLength: 20 });

/** The address of any web page, with a port, path, query and fragment or without. */
export const anyUrl = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    fc.constantFrom('', ':8080'),
    fc.array(segment, { maxLength: 4 }),
    fc.option(tail),
    fc.option(tail),
  )
  .map(([scheme, host, port, path, query, fragment]) => {
    const ends = (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`);
    return `${scheme}://${host}${port}${path.map((part) => `/${part}`).join('')}${ends}`;
  });
