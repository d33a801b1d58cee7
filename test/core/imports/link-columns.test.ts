import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, readCsvField } from '#core/csv/csv.ts';
import { joinTags, splitTags } from '#core/imports/link-columns.ts';
import { createRowReader } from '#core/imports/rows/row-reader.ts';

describe('fields and tags', () => {
  test('a field is read as it was before it was guarded', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^['=+@-]{0,4}.{0,5}$/));
    fc.assert(
      fc.property(text, (field) => {
        const written = csvLine([field]).slice(1, -3).replaceAll('""', '"');
        expect(written).not.toMatch(/^[=@\t\r]|^[+-](?!\d)/);
        expect(readCsvField(written)).toBe(field);
      }),
    );
  });

  test.each([
    ['one|two', ['one', 'two']],
    ['one, two ,', ['one', 'two']],
    ['["a|b","c,d"]', ['a|b', 'c,d']],
    ['[draft]', ['[draft]']],
    ['[draft], sale', ['[draft]', 'sale']],
    [' ', []],
    ['[{"name":"Sale","color":"#fff"},{"id":2,"title":"Spring"}]', ['Sale', 'Spring']],
    ['{"name":"Sale"}', ['Sale']],
    ['["Sale",2026]', ['Sale', '2026']],
    ['[null]', undefined],
    ['["a",true]', undefined],
    ['[["a"]]', undefined],
    ['[{"color":"#fff"}]', undefined],
    ['[{"name":7}]', undefined],
    ["['a', 'b']", undefined],
    ["[{'name': 'a'}]", undefined],
    ['[a, b]', undefined],
    ['{a,b}', undefined],
    ['["a","b', undefined],
  ])('%s', (text, names) => {
    expect(splitTags(text)).toEqual(names);
  });

  test('names of tags are read as they were before they were joined', () => {
    const anyName = fc.oneof(fc.string(), fc.stringMatching(/^["'{}[\]|,:a1]{1,6}$/)).map((name) => name.trim());
    const names = fc.array(
      anyName.filter((name) => name !== ''),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(names, (tags) => {
        expect(splitTags(joinTags(tags)!)).toEqual(tags);
      }),
      { examples: [[['{"a":1}', 'sale']], [['{"name":"Sale"}']], [['{a', 'b}']]] },
    );
  });

  test('a list of tags that cannot be read fails its row, and one of objects is read by their names', () => {
    const read = (tags: string) => createRowReader('csv', ['slug', 'url', 'tags'])(['a', 'https://example.com/', tags]);
    expect(read("['a', 'b']").problems).toMatchObject([{ path: 'tags' }]);
    expect(read('[{"name":"Sale"}]')).toMatchObject({ body: { tags: ['Sale'] }, problems: [] });
  });
});
