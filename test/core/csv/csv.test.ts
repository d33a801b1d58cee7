import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, readCsvField } from '#core/csv/csv.ts';
import { anyCharacter } from '#test/support/texts.ts';

test('every field is quoted', () => {
  expect(csvLine(['a', null, '', 'b c', 'd,e', 'f"g', 'h\r\ni', 'ü'])).toBe(
    '"a","","","b c","d,e","f""g","h\r\ni","ü"\r\n',
  );
});

describe('a field that a spreadsheet would run as a formula', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1+1', "'+1+1"],
    ['-a', "'-a"],
    ['+49-30-1234', "'+49-30-1234"],
    [' =1', "' =1"],
    ['a; @SUM(1)', "'a;' @SUM(1)"],
    ["'+49", "''+49"],
    ["'x;+1", "''x;+1"],
    ['@a', "'@a"],
    ['\tb', "'\tb"],
    ['\rc', "'\rc"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠a', "'＠a"],
    ["'=1", "''=1"],
    ["x;=cmd|'/C calc'!A0", "'x;'=cmd|'/C calc'!A0"],
    ['x\t+a', "'x\t'+a"],
    ['x\n-1;＠b', "'x\n-1;'＠b"],
    ['x\r\n=1', "'x\r\n'=1"],
    ['x;\t=1', "'x;'\t'=1"],
    ["x;''=1", "'x;'''=1"],
  ])('%j is guarded by apostrophes', (field, written) => {
    expect(csvLine([field])).toBe(`"${written}"\r\n`);
    expect(readCsvField(written)).toBe(field);
  });

  test.each(['a=1', 'a -1', "'a", "it's", 'a,=1', '1;2', '+49', '+49 30 1234', '-1,5', 'x;+1', ' -3 ; +49 '])(
    '%j is not guarded',
    (field) => {
      expect(csvLine([field])).toBe(`"${field}"\r\n`);
      expect(readCsvField(field)).toBe(field);
    },
  );

  test('a number that an earlier version guarded is read without its guard', () => {
    expect(readCsvField("'+49")).toBe('+49');
  });

  test('begins no cell at any separator once it is guarded, and is read back unchanged', () => {
    const unit = fc.constantFrom(...'=+-@\t\r\n;\'＝＋－＠a1 ",'.split(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: anyCharacter })), (field) => {
        const written = csvLine([field]).slice(1, -3).replaceAll('""', '"');
        expect(written).not.toMatch(/(?:^|[;\t\r\n])[^\S\t\r\n]*[=@\t\r＝＋－＠]/);
        expect(written).not.toMatch(/(?:^|[;\t\r\n])[^\S\t\r\n]*[+-][^\d]/);
        expect(readCsvField(written)).toBe(field);
      }),
      { numRuns: 5_000 },
    );
  });
});
