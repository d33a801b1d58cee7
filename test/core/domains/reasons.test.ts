import { describe, expect, it } from 'vitest';
import type { DnsRecord } from '#core/domains/dns.ts';
import { describeReason, reasonOf, relativeName } from '#core/domains/reasons.ts';

const name = '_waymark.go.example.com';
const txt: DnsRecord = { type: 'TXT', name, expected: 'waymark-verify=1', found: [], ok: false };
const a: DnsRecord = { type: 'A', name: 'go.example.com', expected: '192.0.2.1', found: [], ok: false };

describe('the reason why a DNS record is not right', () => {
  it.each<[reason: string | null, record: DnsRecord]>([
    [null, { ...txt, found: ['waymark-verify=1'], ok: true }],
    ['missing', txt],
    ['no-answer', { ...txt, found: 'error' }],
    ['zone-appended', { ...txt, misplacedAt: `${name}.example.com` }],
    ['quoted', { ...txt, found: ['"waymark-verify=1"'] }],
    ['quoted', { ...txt, found: ['_waymark TXT waymark-verify=1'] }],
    ['other-value', { ...txt, found: ['waymark-verify=2'] }],
    ['other-value', { ...a, type: 'CNAME', expected: 'edge.example', found: ['other.example'] }],
    ['other-address', { ...a, found: ['192.0.2.1', '198.51.100.1'] }],
    ['surplus-address', { ...a, expected: null, found: ['198.51.100.1'] }],
  ])('is %s', (reason, record) => {
    expect(reasonOf(record)).toBe(reason);
    expect(describeReason(record)).toEqual(reason === null ? null : expect.stringMatching(/^[A-Z].*\.$/));
  });
});

describe('the name of a record relative to its zone', () => {
  it.each([
    [name, 'example.com', '_waymark.go'],
    ['example.com', 'example.com', '@'],
    ['notexample.com', 'example.com', null],
    [name, undefined, null],
  ])('of %s in %s is %s', (whole, zone, relative) => {
    expect(relativeName(whole, zone)).toBe(relative);
  });
});
