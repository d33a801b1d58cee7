import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDomainDns, type DomainDnsOptions } from '#adapters/dns/dns.ts';
import type { DnsReport } from '#core/domains/dns.ts';
import { type FakeDns, startFakeDns } from '#test/support/fake-dns.ts';

const domain = 'go.customer.example';
const place = `_waymark.${domain}`;
const txtRecord = 'waymark-verify=0123456789';

let dns: FakeDns;
let other: FakeDns;
beforeEach(async () => {
  dns = await startFakeDns();
  other = await startFakeDns();
});
afterEach(async () => {
  await dns[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

function check(options: Partial<DomainDnsOptions> = {}): Promise<DnsReport> {
  return createDomainDns({ servers: [dns.address], graceMs: 50, timeoutMs: 1_000, ...options }).check({
    domain,
    txtRecord,
  });
}

describe('the TXT record', () => {
  it.each([place, domain])('the TXT record at %s is right among other records', async (name) => {
    dns.set(name, { TXT: ['v=spf1 -all', txtRecord] });
    expect(await check()).toMatchObject({ outcome: 'right', records: [{ type: 'TXT', name: place, ok: true }] });
  });

  it('a TXT record of several strings is joined, and read by TCP where it is long', async () => {
    const long = `waymark-verify=${'x'.repeat(600)}`;
    dns.set(place, { TXT: [long], truncated: true });
    const report = await createDomainDns({ servers: [dns.address] }).check({ domain, txtRecord: long });
    expect(report.outcome).toBe('right');
    expect(dns.questions).toContainEqual({ name: place, type: 'TXT', transport: 'tcp' });
  });

  it('a TXT record is joined from strings of any length', async () => {
    dns.set(place, { TXT: [['waymark-', 'verify=', '', '0123456789']] });
    expect((await check()).outcome).toBe('right');
  });

  it('the TXT record is wrong where its name does not exist, and where the name has other records alone', async () => {
    expect(await check()).toMatchObject({ outcome: 'wrong', records: [{ found: [] }] });
    dns.set(place, { A: ['192.0.2.1'] });
    dns.set(domain, { A: ['192.0.2.1'] });
    expect(await check()).toMatchObject({ outcome: 'wrong', records: [{ found: [] }] });
  });

  it('a missing or different TXT record is wrong, and the result lists the values found', async () => {
    expect(await check()).toEqual({
      outcome: 'wrong',
      records: [{ type: 'TXT', name: place, expected: txtRecord, found: [], ok: false }],
    });
    dns.set(place, { TXT: ['waymark-verify=other'] });
    dns.set(domain, { TXT: ['v=spf1 -all', 'waymark-verify=old'] });
    const [record] = (await check()).records;
    expect(record).toMatchObject({ found: ['waymark-verify=other', 'waymark-verify=old'], ok: false });
  });

  it('each check queries the TXT record again', async () => {
    const { check: ask } = createDomainDns({ servers: [dns.address] });
    expect((await ask({ domain, txtRecord })).outcome).toBe('wrong');
    dns.set(place, { TXT: [txtRecord] });
    expect((await ask({ domain, txtRecord })).outcome).toBe('right');
    dns.set(place, undefined);
    expect((await ask({ domain, txtRecord })).outcome).toBe('wrong');
  });

  it.each(['servfail', 'refused', 'silent'] as const)(
    'the TXT record is unknown where the server is %s',
    async (answer) => {
      dns.set(place, answer);
      dns.set(domain, answer);
      expect(await check()).toMatchObject({ outcome: 'unknown', records: [{ found: 'error', ok: false }] });
    },
  );

  it('the TXT record is unknown where one of its two names could not be queried', async () => {
    dns.set(place, 'servfail');
    expect((await check()).outcome).toBe('unknown');
    dns.set(domain, { TXT: [txtRecord] });
    expect((await check()).outcome).toBe('right');
  });
});

describe('several name servers', () => {
  const both = () => ({ servers: [dns.address, other.address] });

  it('the record is right when one of several name servers has it', async () => {
    other.set(place, { TXT: [txtRecord] });
    expect((await check(both())).outcome).toBe('right');
  });

  it('the result lists the values of all name servers where they disagree', async () => {
    dns.set(place, { TXT: ['waymark-verify=old'] });
    other.set(place, { TXT: ['waymark-verify=older'] });
    const { outcome, records } = await check(both());
    expect(outcome).toBe('wrong');
    expect(records[0]!.found).toHaveLength(2);
    expect(records[0]!.found).toEqual(expect.arrayContaining(['waymark-verify=old', 'waymark-verify=older']));
  });

  it('each of two records is right when a different name server has it', async () => {
    dns.set(place, { TXT: [txtRecord] });
    dns.set(domain, { A: ['198.51.100.1'] });
    other.set(domain, { A: ['192.0.2.1'] });
    const edgeAddresses = ['192.0.2.1'];
    expect((await check({ ...both(), edgeAddresses })).outcome).toBe('right');
    other.set(domain, { A: ['198.51.100.2'] });
    const { outcome, records } = await check({ ...both(), edgeAddresses });
    expect(outcome).toBe('wrong');
    expect(records[1]!.found).toEqual(expect.arrayContaining(['198.51.100.1', '198.51.100.2']));
  });

  it('a silent name server delays neither a right nor a wrong answer', async () => {
    dns.set(place, 'silent');
    dns.set(domain, 'silent');
    other.set(place, { TXT: [txtRecord] });
    // Longer than a test may run.
    const settings = { ...both(), timeoutMs: 600_000 };
    expect((await check(settings)).outcome).toBe('right');
    other.set(place, undefined);
    expect((await check(settings)).outcome).toBe('wrong');
  });

  it('the result is right or wrong although one name server failed, and unknown where all failed', async () => {
    dns.set(place, 'servfail');
    dns.set(domain, 'servfail');
    expect((await check(both())).outcome).toBe('wrong');
    other.set(place, 'refused');
    other.set(domain, 'refused');
    expect((await check(both())).outcome).toBe('unknown');
  });

  it('a check of silent name servers ends at its deadline', async () => {
    dns.set(place, 'silent');
    expect((await check({ timeoutMs: 300 })).outcome).toBe('unknown');
  });
});

describe('where the domain leads', () => {
  beforeEach(() => dns.set(place, { TXT: [txtRecord] }));
  const edge = { edgeHostname: 'Edge.Waymark.Example.', edgeAddresses: ['192.0.2.1', '2001:DB8:0::1'] };

  it('an alias to the edge is right in upper and lower case', async () => {
    dns.set(domain, { CNAME: 'EDGE.waymark.example' });
    dns.set('edge.waymark.example', { A: ['192.0.2.9'] });
    const { outcome, records } = await check({ edgeHostname: 'edge.waymark.example' });
    expect(outcome).toBe('right');
    expect(records).toMatchObject([
      { type: 'TXT', ok: true },
      { type: 'CNAME', name: domain, expected: 'edge.waymark.example', ok: true },
    ]);
  });

  it('a domain is right by the configured addresses, or by those of the name of the edge', async () => {
    dns.set(domain, { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] });
    expect((await check(edge)).outcome).toBe('right');
    dns.set('edge.waymark.example', { A: ['192.0.2.7'] });
    dns.set(domain, { A: ['192.0.2.7'] });
    expect((await check({ edgeHostname: 'edge.waymark.example' })).outcome).toBe('right');
    dns.set(domain, { CNAME: 'alias.customer.example' });
    dns.set('alias.customer.example', { CNAME: 'edge.waymark.example' });
    expect((await check({ edgeHostname: 'edge.waymark.example' })).outcome).toBe('right');
  });

  it('a domain that leads elsewhere, wholly or partly, is wrong', async () => {
    dns.set(domain, { A: ['192.0.2.1', '198.51.100.1'] });
    const { outcome, records } = await check(edge);
    expect(outcome).toBe('wrong');
    expect(records.slice(1)).toEqual([
      { type: 'CNAME', name: domain, expected: 'edge.waymark.example', found: [], ok: false },
      { type: 'A', name: domain, expected: '192.0.2.1', found: ['192.0.2.1', '198.51.100.1'], ok: false },
      { type: 'AAAA', name: domain, expected: '2001:db8::1', found: [], ok: false },
    ]);
  });

  it('a chain of aliases that ends at the edge is right, and a circle of aliases is wrong', async () => {
    const hops = [domain, 'a.customer.example', 'b.cdn.example', 'c.cdn.example', 'edge.waymark.example'];
    for (const [index, name] of hops.slice(0, -1).entries()) dns.set(name, { CNAME: hops[index + 1]! });
    dns.set('edge.waymark.example', { A: ['192.0.2.7'], AAAA: ['2001:db8::7'] });
    const options = { edgeHostname: 'edge.waymark.example' };
    expect((await check(options)).outcome).toBe('right');
    dns.set('c.cdn.example', { CNAME: domain });
    const { outcome, records } = await check(options);
    expect(outcome).not.toBe('right');
    expect(records[1]).toMatchObject({ type: 'CNAME', ok: false });
  });

  it('an apex, which has addresses and no alias, is right', async () => {
    const apex = 'customer.example';
    dns.set(`_waymark.${apex}`, { TXT: [txtRecord] });
    dns.set(apex, { A: ['192.0.2.1'], AAAA: ['2001:db8:0:0::1'], TXT: ['v=spf1 -all'] });
    const { check: ask } = createDomainDns({ servers: [dns.address], ...edge });
    expect((await ask({ domain: apex, txtRecord })).outcome).toBe('right');
    dns.set(apex, { AAAA: ['2001:db8::1'] });
    expect((await ask({ domain: apex, txtRecord })).outcome).toBe('right');
  });

  it('a long answer is read by TCP', async () => {
    dns.set(domain, { A: ['192.0.2.1'], truncated: true });
    expect((await check({ edgeAddresses: ['192.0.2.1'] })).outcome).toBe('right');
    expect(dns.questions).toContainEqual({ name: domain, type: 'A', transport: 'tcp' });
  });

  it('the result names an address that is not of the edge', async () => {
    dns.set(domain, { A: ['192.0.2.1'], AAAA: ['2001:db8::bad'] });
    const { outcome, records } = await check({ edgeAddresses: ['192.0.2.1'] });
    expect(outcome).toBe('wrong');
    expect(records.slice(1)).toEqual([
      { type: 'A', name: domain, expected: '192.0.2.1', found: ['192.0.2.1'], ok: true },
      { type: 'AAAA', name: domain, expected: null, found: ['2001:db8::bad'], ok: false },
    ]);
  });

  it('is wrong nowhere, unknown where it could not be asked, and wrong all the same without the TXT record', async () => {
    expect((await check(edge)).outcome).toBe('wrong');
    dns.set(domain, (question) => (question.type === 'TXT' ? { TXT: [] } : 'servfail'));
    expect((await check(edge)).outcome).toBe('unknown');
    dns.set(place, undefined);
    expect((await check(edge)).outcome).toBe('wrong');
  });
});

it('the needed records are listed without a query, in the order of a check', () => {
  const options = { servers: [], edgeHostname: 'Edge.Waymark.Example.', edgeAddresses: ['2001:DB8:0::1', '192.0.2.1'] };
  const domain = { domain: 'go.customer.example', txtRecord: 'waymark-verify=1' };
  const { records, hasHostname } = createDomainDns(options).listNeeds(domain);
  expect(hasHostname).toBe(true);
  expect(records.map(({ type, name, value }) => [type, name, value])).toEqual([
    ['TXT', '_waymark.go.customer.example', 'waymark-verify=1'],
    ['CNAME', 'go.customer.example', 'edge.waymark.example'],
    ['A', 'go.customer.example', '192.0.2.1'],
    ['AAAA', 'go.customer.example', '2001:db8::1'],
  ]);
  for (const { where } of records) expect(where).toContain('DNS provider of go.customer.example');
});

describe('the cause of wrong records', () => {
  const zone = 'customer.example';

  it('a value at the name with the zone appended is found there', async () => {
    dns.set(zone, { isZone: true });
    dns.set(`${place}.${zone}`, { TXT: [txtRecord] });
    dns.set(`${domain}.${zone}`, { CNAME: 'edge.example' });
    expect(await check({ edgeHostname: 'edge.example' })).toMatchObject({
      outcome: 'wrong',
      zone,
      records: [
        { type: 'TXT', name: place, ok: false, misplacedAt: `${place}.${zone}` },
        { type: 'CNAME', name: domain, ok: false, misplacedAt: `${domain}.${zone}` },
      ],
    });
  });

  it('a domain that is a zone of its own has the longest one', async () => {
    dns.set(zone, { isZone: true });
    dns.set(domain, { isZone: true });
    const report = await check();
    expect(report.zone).toBe(domain);
    expect(report.records[0]).not.toHaveProperty('misplacedAt');
  });

  it('another value at the appended name is no cause', async () => {
    dns.set(zone, { isZone: true });
    dns.set(`${place}.${zone}`, { TXT: ['waymark-verify=other'] });
    expect((await check()).records[0]).not.toHaveProperty('misplacedAt');
  });

  it('a name server that is silent about it delays the check only shortly', async () => {
    dns.set(zone, 'silent');
    const report = await check({ diagnosisMs: 50 });
    expect(report).toMatchObject({ outcome: 'wrong' });
    expect(report).not.toHaveProperty('zone');
  });

  it('is not looked for where the records are right', async () => {
    dns.set(place, { TXT: [txtRecord] });
    await check();
    expect(dns.questions.filter(({ type }) => type === 'SOA')).toEqual([]);
  });
});
