import { expect, test } from 'vitest';
import { isWindows1252 } from '#core/csv/encoding.ts';

/** Writes text in an encoding of one byte for each character. */
function write(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const).toReversed(),
  );
  return Buffer.from(Array.from(`keyword,url,title\na,https://example.com/,${text}\n`, (one) => bytes.get(one)!));
}

test.each([
  'Grüße aus München – „ÄÖÜ“ … 3½ m² für 5 €',
  'Économie créée à l’été, où ça «naît», œuvre',
  '¿Qué pasó, señor? ¡Año nuevo! 1ª opción, nº 5, ações',
  'Það er gæði, Þór frá Íslandi; blåbærsyltetøy på Åland',
  'col·legi, O´Brien, €€€, © 2024 ACME™',
])('%s in Windows-1252 is told as such', (text) => {
  expect(isWindows1252(write('windows-1252', text))).toBe(true);
});

test.each([
  ['windows-1251', 'Летняя распродажа'],
  ['koi8-r', 'Летняя распродажа'],
  ['ibm866', 'Летняя распродажа'],
  ['windows-1253', 'Καλημέρα κόσμε'],
  ['windows-1255', 'שלום עולם'],
  ['windows-1256', 'مرحبا بالعالم'],
  ['windows-874', 'สวัสดีชาวโลก'],
  ['windows-1250', 'Wiosenna wyprzedaż – złóż zamówienie już dziś'],
  ['iso-8859-2', 'Wiosenna wyprzedaż: złóż zamówienie już dziś'],
])('text in %s is not taken for Windows-1252, in which it would be nonsense: %s', (encoding, text) => {
  expect(isWindows1252(write(encoding, text))).toBe(false);
});

test('text in Shift_JIS, with two bytes for a letter, is not taken for Windows-1252', () => {
  const japanese = [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67];
  expect(isWindows1252(Buffer.from([...Buffer.from('https://example.com/,'), ...japanese]))).toBe(false);
});

test('UTF-8 is damaged where two bytes are, and a letter is whole', () => {
  const letter = Buffer.from('ü');
  expect(isWindows1252(Buffer.from([...letter, 0x20, 0xc3, 0x20, 0xc3, 0x20]))).toBe(false);
});
