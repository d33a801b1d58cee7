import { expect, it } from 'vitest';
import { toClientName } from '#core/audit/client-name.ts';

it('a name keeps its letters in every script, without control and format characters', () => {
  expect(toClientName('Claude Desktop')).toBe('Claude Desktop');
  expect(toClientName(' クロード\u0000\n\u202Egnp.exe\u2066 ')).toBe('クロード gnp.exe');
});

it('a long name is cut at 80 characters, between characters', () => {
  expect(toClientName('🦊'.repeat(500))).toBe('🦊'.repeat(80));
});

it('a name of nothing that shows is none', () => {
  expect(toClientName('\u200B\t\uD800')).toBeUndefined();
  expect(toClientName(undefined)).toBeUndefined();
});
