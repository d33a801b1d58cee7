// @module-tag slow

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsvFile } from '#adapters/csv-file.ts';
import { CsvFileError } from '#core/csv/csv-file.ts';
import { csvLine, readCsvField } from '#core/csv/csv.ts';
import { byDay } from '#test/support/night.ts';

const read = (text: string | Buffer, maxRows = 100) => readCsvFile(Buffer.from(text), maxRows);

describe('readCsvFile', () => {
  test('readCsvFile reads back the written rows, whatever their fields hold', async () => {
    const field = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { maxLength: 8 }), async (rows) => {
        const text = [['one', 'two'], ...rows].map((row) => csvLine(row)).join('');
        const { header, rows: found } = await read(text);
        expect(header).toEqual(['one', 'two']);
        // Rows of separators alone are ignored.
        const kept = rows.filter((row) => row.some((text) => text.trim() !== ''));
        expect(found.map((row) => row.map(readCsvField))).toEqual(kept);
      }),
    );
  });

  test.each([
    ['semicolons', 'a;b\n1,5;2\n', [['1,5', '2']]],
    ['tabs', 'a\tb\n1\t2\n', [['1', '2']]],
    ['a quoted header', '"a,b,c";d\n1;2\n', [['1', '2']]],
    ['a byte order mark', '\ufeffa,b\n1,2\n', [['1', '2']]],
    ['no newline at its end', 'a,b\n1,2', [['1', '2']]],
    ['empty lines', 'a,b\r\n\r\n1,2\r\n\r\n', [['1', '2']]],
    ['quotes in the middle', 'a,b\n5" disk,2\n', [['5" disk', '2']]],
    [
      'lines that end in different ways',
      'a,b\r\n1,2\n3,4\r5,6',
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    ['rows of separators alone', 'a;b\n;\n1,5;2\n ; \n', [['1,5', '2']]],
    ['a line that names the separator', '"sep=;"\r\na;b,c\r\n1,5;2', [['1,5', '2']]],
    ['a bar that such a line names', 'sep=|\na|b\n1,5|2', [['1,5', '2']]],
    ['empty lines before semicolons', '\r\n\na;b\n1,5;2\n', [['1,5', '2']]],
    ['short rows, and long ones of nothing more', 'a,b\n1\n1,2,, \n', [['1'], ['1', '2']]],
    ['a row with more than its header, of which a sign stays', 'a,b\n1,2,,3,4\n', [['1', '2', '3']]],
  ])('with %s', async (_, text, rows) => {
    const file = await read(text);
    expect(file.rows).toEqual(rows);
    expect(file.header[0]).not.toContain('\ufeff');
  });

  test('a file in Windows-1252 is told by its content, and the answer says how it was read', async () => {
    const file = await read(Buffer.from('a;b\nGr\xfc\xdfe;\x80 5\n', 'latin1'));
    expect(file).toMatchObject({ rows: [['Grüße', '€ 5']], encoding: 'windows-1252', separator: ';' });
    expect(await read('a,b\nä,1\n')).toMatchObject({ encoding: 'utf-8', separator: ',' });
  });

  test('a UTF-16 file is read as spreadsheets write it', async () => {
    const text = '\ufeffa,b\nä,😀\n';
    const little = Buffer.from(text, 'utf16le');
    expect((await read(little)).rows).toEqual([['ä', '😀']]);
    expect((await read(Buffer.from(little).swap16())).rows).toEqual([['ä', '😀']]);
  });

  test.each([
    ['nothing', '', 'must have a header'],
    ['a quote that is not closed', 'a,b\n1,2\n3,"4\n', /^line \d+: a quote is not closed$/],
    ['a NUL', 'a,b\n1,\u0000\n', /^must be a CSV file, text in UTF-8/],
    ['bytes that are no text', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0x81, 0x0a]), /^must be a CSV file/],
    [
      'UTF-8 with a damaged byte',
      Buffer.concat([Buffer.from('a,b\nä,ö\n'), Buffer.from([0xff])]),
      /^must be a CSV file/,
    ],
    ['too many rows', `a,b\n${'1,2\n'.repeat(101)}`, 'must have at most 100 rows'],
  ])('refuses %s', async (_, content, message) => {
    const error: unknown = await read(content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CsvFileError);
    expect((error as Error).message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('reads every character whole, wherever the file is divided', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const title = `${'x'.repeat(shift)}${'😀'.repeat(40_000)}`;
      expect((await read(`a,b\n1,"${title}"\n`)).rows).toEqual([['1', title]]);
    }
  });

  const endless: [string, string][] = [
    ['a header of very many columns', `${'c,'.repeat(100_000)}url\n`],
    ['a header that is very long', `${'c'.repeat(100_000)},url\n`],
    ['a quote that is never closed', `"${'a'.repeat(8_000_000)}`],
    ['nothing but quotes', '"'.repeat(8_000_001)],
    ['a row of very many columns', `a,b\n${','.repeat(5_000_000)}\n`],
    ['a field of a size that nothing has', `a,b\n1,${'x'.repeat(5_000_000)}\n`],
  ];
  test.each(byDay(endless, 3))('refuses %s, soon', async (_, content) => {
    await expect(read(content)).rejects.toThrow(CsvFileError);
  });

  test('reading a large file leaves the event loop free for other work', { tags: 'nightly' }, async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await read(`a,b\n${`${'x'.repeat(50)},y\n`.repeat(50_000)}`, 100_000);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
  });
});
