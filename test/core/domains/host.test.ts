import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeHost } from '#core/domains/host.ts';
import { anyCharacter } from '#test/support/texts.ts';

test.each([
  ['go.example', 'go.example'],
  ['GO.Example:3001', 'go.example'],
  ['go.example.', 'go.example'],
  ['go.example.:80', 'go.example'],
  ['localhost:3001', 'localhost'],
  [Buffer.from('bücher.example').toString('latin1'), 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['my_host.example', 'my_host.example'],
  ['[::1]:3001', '[::1]'],
  ['go.example:', undefined],
  ['go.example:x', undefined],
  ['go.example:123456', undefined],
  [`go.example:${'1'.repeat(15_000)}`, undefined],
  [`[${'1'.repeat(15_000)}]`, null],
  ['', null],
  [':80', null],
  ['a/b', null],
  ['a b', null],
  ['user@go.example', null],
  ['%67o.example', null],
  [`${'a'.repeat(300)}.example`, null],
  [undefined, null],
])('%s → %s (4.1)', (header, expected) => {
  expect(normalizeHost(header)).toBe(expected);
});

test('never throws, and gives what it gives for its own result', () => {
  const holds = fc.property(fc.string({ unit: anyCharacter }), (header) => {
    const host = normalizeHost(header);
    return host === null || host === undefined || host.endsWith('.') || normalizeHost(host) === host;
  });
  expect(() => fc.assert(holds)).not.toThrow();
});
