import { expect, test } from 'vitest';
import type { Language } from '#console/i18n/language.ts';
import { numberOf, plainNumber } from '#console/i18n/number-text.ts';
import { emptyDraft, fieldsOf } from '#console/links/editor/draft.ts';

const read = (text: string, language: Language) => numberOf(plainNumber(text, language));

test('plain digits, and digits in groups of three as the language writes them, are that number', () => {
  for (const language of ['en', 'de'] as const) {
    expect(read('1000', language)).toBe(1_000);
    expect(read(' 0025 ', language)).toBe(25);
    expect(read('-5', language)).toBe(-5);
  }
  expect(read('1.000', 'de')).toBe(1_000);
  expect(read('12.345.678', 'de')).toBe(12_345_678);
  expect(read('1,000', 'en')).toBe(1_000);
  expect(read('12,345,678', 'en')).toBe(12_345_678);
});

test('a fraction of one or two digits is a fraction behind either mark', () => {
  for (const language of ['en', 'de'] as const) {
    expect(read('1.5', language)).toBe(1.5);
    expect(read('2,24', language)).toBe(2.24);
  }
});

test('every other text stays as it was typed, so that no other number is saved', () => {
  const texts = [
    '1.0000',
    '1000.000',
    '1.00.000',
    '1,00,000',
    '1 000',
    '1e3',
    '0x10',
    'Infinity',
    'many',
    '1.',
    '.5',
    '',
  ];
  for (const text of texts) {
    expect(plainNumber(text, 'de')).toBe(text);
    expect(plainNumber(text, 'en')).toBe(text);
    expect(numberOf(text)).toBeUndefined();
  }
  expect(read('1.000', 'en')).toBeUndefined();
  expect(read('1,000', 'de')).toBeUndefined();
});

test('a click cap that is no number is sent as its text', () => {
  const capOf = (maxClicks: string) => fieldsOf({ ...emptyDraft(), maxClicks }).maxClicks;
  expect(['250', '1.5', '1.000', 'many', ' '].map(capOf)).toEqual([250, 1.5, '1.000', 'many', null]);
});
