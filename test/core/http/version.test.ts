import { expect, test } from 'vitest';
import { readPrecondition, requireVersion, versionOf } from '#core/http/version.ts';

const updatedAt = new Date('2026-03-14T15:09:26.535Z');
const etag = versionOf({ updatedAt });
const holds = (header: string): boolean => {
  try {
    requireVersion(readPrecondition(header), { updatedAt });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409 });
    return false;
  }
};

test('a version is an entity tag that changes with each millisecond', () => {
  expect(etag).toMatch(/^"[0-9a-z]+"$/);
  expect(versionOf({ updatedAt: updatedAt.toISOString() })).toBe(etag);
  expect(versionOf({ updatedAt: new Date(updatedAt.getTime() + 1) })).not.toBe(etag);
});

test('the version of a link changes with names and colors of its folder and tags, whatever their order', () => {
  const folder = { id: '1', name: 'Links', color: '#000000' };
  const tags = [
    { id: '2', name: 'a', color: '#000000' },
    { id: '3', name: 'b', color: '#000000' },
  ];
  const version = versionOf({ updatedAt, folder, tags });
  expect(version).toMatch(/^"[\w-]+"$/);
  expect(versionOf({ updatedAt, folder, tags: tags.toReversed() })).toBe(version);
  expect(versionOf({ updatedAt, folder: { ...folder, name: 'Other' }, tags })).not.toBe(version);
  expect(versionOf({ updatedAt, folder, tags: [{ ...tags[0]!, color: '#ffffff' }, tags[1]!] })).not.toBe(version);
  expect(versionOf({ updatedAt, folder, tags: [] })).not.toBe(version);
});

test.each([etag, '*', ' * ', `"a", ${etag}`, `${etag},"b"`])('%s holds', (header) => {
  expect(holds(header)).toBe(true);
});

test.each(['"a"', `W/${etag}`, '""', '"a", "b"'])('%s does not', (header) => {
  expect(holds(header)).toBe(false);
});

test.each(['', 'a', '"a', etag.slice(1), `${etag},`, '"a" "b"', '*, "a"', 'w/"a"'])('%j is malformed', (header) => {
  expect(readPrecondition(header)).toBeUndefined();
});
