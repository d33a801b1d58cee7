import { describe, expect, test } from 'vitest';
import { readCsvFile } from '#adapters/csv-file.ts';
import { maxImportRows } from '#core/csv/csv-file.ts';
import { readFile, writeCsv } from '#console/imports/new/read-file.ts';

const utf8 = (text: string): Buffer => Buffer.from(text);

const files: Record<string, Buffer> = {
  'quotes, breaks in fields, and mixed line ends': utf8('a,b\r\n"x, ""y""","two\nlines"\n1,2\r3,4'),
  semicolons: utf8('slug;url\na;https://example.com/?a=1,2'),
  tabs: utf8('slug\turl\na\thttps://example.com/'),
  'a byte order mark': utf8('\uFEFFslug,url\na,ü😀'),
  'UTF-16': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('slug,url\nä,https://example.com/', 'utf16le')]),
  'short, long and empty rows': utf8('a,b,c\n1\n1,2,3,4\n\n\n,,\n'),
  'Windows-1252': Buffer.from('slug;url\nGr\xfc\xdfe;x', 'latin1'),
  'a line that names the separator': utf8('sep=;\nslug;url,x\na;b'),
  'a quote inside a field': utf8('a,b\nit"s,5" pipe'),
  'a header with blanks': utf8(' Slug , Long URL \nx,y'),
  'a header alone': utf8('slug,url'),
};
const refused: Record<string, Buffer> = {
  'no text': Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0xfe, 0x00]),
  'bytes that no encoding has': Buffer.from('slug,url\n\x81,x', 'latin1'),
  nothing: utf8(''),
  'empty lines alone': utf8('\n\n'),
  'an open quote': utf8('a,b\n"x,1\ny,2'),
  'too many columns': utf8(Array(201).fill('x').join(',')),
};

describe('a file is read in the browser as by the API', () => {
  test.each(Object.entries(files))('%s', async (_name, bytes) => {
    expect(readFile(bytes)).toEqual(await readCsvFile(bytes, maxImportRows));
  });

  test.each(Object.entries(refused))('%s is refused in the same words', async (_name, bytes) => {
    const error = await readCsvFile(bytes, maxImportRows).then(
      () => 'read',
      ({ message }: Error) => message,
    );
    expect(() => readFile(bytes)).toThrow(error);
  });
});

test('a file with another header has the same rows', () => {
  const { header, rows } = readFile(utf8('a,b,c\n"x, ""y""","two\nlines", z \n1,2,=SUM(A1)\n;,\t,\n'));
  expect(readFile(utf8(writeCsv([['slug', 'url', 'n'], ...rows])))).toMatchObject({
    header: ['slug', 'url', 'n'],
    rows,
  });
  expect(header).toEqual(['a', 'b', 'c']);
});
