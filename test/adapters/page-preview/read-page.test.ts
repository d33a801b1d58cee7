import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePage, readPage } from '#adapters/page-preview/read-page.ts';
import { anyCharacter } from '#test/support/texts.ts';

const url = new URL('https://example.com/articles/one');
const head = (content: string): ReturnType<typeof readPage> =>
  readPage(`<!doctype html><html><head>${content}</head><body><p>text</p></body></html>`, url);

describe('the facts of a page', () => {
  it('come from Open Graph before X, and from X before the page', () => {
    const own = '<title>Own</title><meta name="description" content="Own text">';
    const x = '<meta name="twitter:title" content="X"><meta name="twitter:description" content="X text">';
    const openGraph = '<meta property="og:title" content="OG"><meta property="og:description" content="OG text">';
    expect(head(own)).toMatchObject({ title: 'Own', description: 'Own text' });
    expect(head(own + x)).toMatchObject({ title: 'X', description: 'X text' });
    expect(head(own + x + openGraph)).toMatchObject({ title: 'OG', description: 'OG text' });
  });

  it('are null where the page does not tell them', () => {
    expect(head('')).toEqual({ title: null, description: null, imageUrl: null, iconUrl: null });
    expect(head('<title>  </title><meta property="og:title" content=" ">').title).toBeNull();
  });

  it('are in plain text, on one line, with entities read', () => {
    expect(head('<title>Fish &amp;\n  chips &ndash; <b>now</b></title>').title).toBe('Fish & chips – <b>now</b>');
  });

  it('take no title of a drawing', () => {
    expect(head('<svg><title>Icon</title></svg><title>Page</title>').title).toBe('Page');
  });

  it('end in … where they are too long', () => {
    expect(head(`<title>${'a'.repeat(2_000)}</title>`).title).toBe(`${'a'.repeat(299)}…`);
  });

  it.each([
    ['absolute', '<meta property="og:image" content="https://cdn.example/a.png">', 'https://cdn.example/a.png'],
    ['relative to the page', '<meta property="og:image" content="a.png">', 'https://example.com/articles/a.png'],
    [
      'relative to the base',
      '<base href="/media/"><meta property="og:image" content="a.png">',
      'https://example.com/media/a.png',
    ],
    ['of X', '<meta name="twitter:image" content="/x.png">', 'https://example.com/x.png'],
    ['with a scheme that is not called', '<meta property="og:image" content="javascript:alert(1)">', null],
    ['that is no address', '<meta property="og:image" content="https://[">', null],
  ])('have a picture %s', (_how, html, expected) => {
    expect(head(html).imageUrl).toBe(expected);
  });

  it('are read as deep as browsers nest elements, and no deeper: time grows with the square of the depth', () => {
    const title = '<title>Deep</title>';
    expect(head(`${'<div>'.repeat(500)}${title}`).title).toBe('Deep');
    // Elements that end are not nested.
    expect(head(`${'<div><br></div><p>'.repeat(2_000)}${title}`).title).toBe('Deep');
    expect(head(`${'<ul><li>'.repeat(300)}${title}`).title).toBe(null);
    expect(head(`<title>Flat</title>${'<ul><li>'.repeat(60_000)}`).title).toBe('Flat');
  });

  it('are read of any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), (before, after) => {
        const facts = readPage(`${before}<meta property="og:title" content="${after}`, url);
        expect(facts.title === null || facts.title.length <= 600).toBe(true);
      }),
    );
  });
});

describe('the text of a page', () => {
  it.each([
    ['the header', Buffer.from('caf\xe9', 'latin1'), 'text/html; charset=ISO-8859-1'],
    ['its first bytes', Buffer.from('<meta charset="windows-1252">caf\xe9', 'latin1'), 'text/html'],
    ['UTF-8 without a charset', Buffer.from('café'), 'text/html'],
    ['UTF-8 with an unknown charset', Buffer.from('café'), 'text/html; charset=klingon'],
  ])('is decoded by %s', (_by, bytes, type) => {
    expect(decodePage(bytes, type)).toMatch(/café$/);
  });
});
