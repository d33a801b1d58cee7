import { expect, test } from 'vitest';
import { qrOptionsSchema } from '#core/links/qr-code.ts';

const accepts = (image: string): boolean => qrOptionsSchema.safeParse({ image }).success;

test.each([
  'https://example.com/logo.png',
  'HTTP://example.com/a?b#c',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:image/svg+xml,%3Csvg/%3E',
  'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>',
  'DATA:IMAGE/WEBP;base64,AAAA',
])('%s is the address of a logo', (image) => {
  expect(accepts(image)).toBe(true);
});

test.each([
  '',
  'logo.png',
  '//example.com/logo.png',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://example.com/x',
  'ftp://example.com/logo.png',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;image/png,x',
  'data:,x',
  'data:image/png',
  'data:image/png;base64,',
  'data:image/,x',
  'data:image/png\n,x',
  'https://user:pass@example.com/logo.png',
  'https://example.com/a b.png',
  `data:image/png;base64,${'A'.repeat(8_192)}`,
])('%j is not the address of a logo', (image) => {
  expect(accepts(image)).toBe(false);
});
