import { expect, test } from 'vitest';
import { csvLine } from '../../core/csv.ts';

test('fields are quoted where they have to be', () => {
  expect(csvLine(['a', null, '', 'b c', 'd,e', 'f"g', 'h\r\ni', 'ü'])).toBe('a,,,b c,"d,e","f""g","h\r\ni",ü\r\n');
});

test('what a spreadsheet would run is made harmless', () => {
  expect(csvLine(['=1+1', '+1', '-1', '@a', '\tb', '\rc', '=a,"b"', 'a=1'])).toBe(
    `'=1+1,'+1,'-1,'@a,'\tb,"'\rc","'=a,""b""",a=1\r\n`,
  );
});
