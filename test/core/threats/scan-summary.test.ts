import { expect, test } from 'vitest';
import { scanSummary, summaryHosts } from '#core/threats/scan-summary.ts';

test('hosts are shown once, three at most, without paths', () => {
  const urls = [
    'https://a.example/secret',
    'http://a.example/x',
    'https://b.example:8443/',
    'https://c.example',
    'https://d.example',
  ];
  expect(summaryHosts(urls)).toEqual(['a.example', 'b.example:8443', 'c.example', '…']);
  expect(summaryHosts(urls.slice(0, 2))).toEqual(['a.example']);
});

test('a summary tells how many, and fits into what Temporal keeps', () => {
  expect(scanSummary(1, ['a.example'])).toBe('Threat scan of 1 destination: a.example');
  const long = summaryHosts([1, 2, 3, 4].map((index) => `https://${`label${index}.`.repeat(40)}example/`));
  expect(Buffer.byteLength(scanSummary(40, long))).toBeLessThanOrEqual(400);
});
