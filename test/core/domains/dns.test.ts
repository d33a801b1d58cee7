import { expect, test } from 'vitest';
import { cutReport, describeRecord, type DnsRecord } from '#core/domains/dns.ts';

const record = (found: DnsRecord['found'], ok = false): DnsRecord => ({
  type: 'TXT',
  name: '_waymark.go.example.com',
  expected: 'waymark-verify=1',
  found,
  ok,
});

test('a report is cut to what is worth reading', () => {
  const long = 'x'.repeat(10_000);
  const { records } = cutReport({
    outcome: 'wrong',
    records: [record(Array.from({ length: 500 }, () => long)), record('error')],
  });
  expect(JSON.stringify(records).length).toBeLessThan(7_000);
  expect(records[1]!.found).toBe('error');
});

test('a record is described in a line of Markdown that what was found cannot leave', () => {
  expect(describeRecord(record([], true))).toBe('TXT _waymark.go.example.com: right');
  expect(describeRecord(record([]))).toContain('nothing there');
  expect(describeRecord(record('error'))).toContain('could be asked');
  expect(describeRecord(record(['a`b\n# c']))).toBe('TXT _waymark.go.example.com: `ab# c`');
});
