// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { type DomainStack, startDomainStack, type TestDomain } from '#test/support/domain-stack.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { recordHistory } from '#test/support/histories.ts';
import { nameKey } from '#core/temporal/search-attributes.ts';
import { readMetadata, timerSummaries } from '#test/support/workflow-metadata.ts';

let stack: DomainStack;
beforeAll(async () => {
  stack = await startDomainStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const ask = (id: string): Promise<FinishedCheck> => stack.handle(id).executeUpdate<FinishedCheck, []>('check');

async function verified(domain: TestDomain): Promise<void> {
  stack.publish(domain);
  await stack.until(domain.id, ({ state }) => state === 'verified');
}

describe('a domain that is added', () => {
  test('a new domain is checked without a request, and verified at once where its record exists', async () => {
    const organization = await createOrganization(stack.db);
    const name = 'at-once.customer.example';
    // Publishes the record before the first check, whatever its value will be.
    stack.dns.set(`_waymark.${name}`, 'silent');
    const domain = await stack.add({ organization, name });
    stack.publish(domain);
    const status = await stack.until(domain.id, ({ state }) => state === 'verified');
    expect(status).toMatchObject({ failedChecks: 0, found: [`TXT _waymark.${name}: right`] });
    expect(await stack.row(domain.id)).toMatchObject({ isVerified: true, isPrimary: true, failedChecks: 0 });
    const description = await stack.handle(domain.id).describe();
    expect(await description.staticSummary()).toBe(`Domain ${name}`);
    expect(description.typedSearchAttributes.getAll()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ value: [organization.id] }),
        expect.objectContaining({ value: [domain.id] }),
        expect.objectContaining({ value: 'verified' }),
      ]),
    );
    await recordHistory('domain-verified-at-once', stack.handle(domain.id));
  });

  test('a new domain is checked repeatedly until its record exists', async () => {
    const domain = await stack.add();
    const waiting = await stack.until(domain.id, ({ checks }) => checks >= 3);
    expect(waiting).toMatchObject({ state: 'unverified', found: [`TXT _waymark.${domain.domain}: nothing there`] });
    expect(waiting.failedChecks).toBe(waiting.checks);
    const record = `TXT _waymark.${domain.domain}: \`${domain.txtRecord}\``;
    expect(waiting.needed).toEqual([record]);
    const handle = stack.handle(domain.id);
    const { currentDetails, definition } = await readMetadata(handle);
    expect(currentDetails).toContain(`- needed:\n  - ${record}`);
    const { queryDefinitions, signalDefinitions, updateDefinitions } = definition!;
    const described = [queryDefinitions, signalDefinitions, updateDefinitions].flatMap((all) => all ?? []);
    const own = described.filter(({ name }) => !name!.startsWith('__'));
    expect(own.map(({ name }) => name)).toEqual(['status', 'wake', 'check']);
    for (const { description } of own) expect(description).toMatch(/^[A-Z].*\.$/);
    expect(new Set(await timerSummaries(handle))).toEqual(new Set(['Until the next check']));
    expect((await handle.describe()).typedSearchAttributes.get(nameKey)).toBe(domain.domain);
    const before = await stack.row(domain.id);
    expect(before.updatedAt).not.toEqual(before.lastCheckedAt);
    await verified(domain);
    const row = await stack.row(domain.id);
    expect(row).toMatchObject({ isVerified: true, failedChecks: 0 });
    expect(row.updatedAt > before.updatedAt).toBe(true);
    await recordHistory('domain-verified-later', stack.handle(domain.id));
  });

  test('an inactive domain and a domain of a suspended organization are checked too', async () => {
    const organization = await createOrganization(stack.db, { suspended: true });
    const domain = await stack.add({ organization });
    await stack.db.query('update domains set is_active = false where id = $1', [domain.id]);
    await verified(domain);
    expect(await stack.row(domain.id)).toMatchObject({ isVerified: true });
  });
});

describe('a verified domain', () => {
  test('a verified domain is lost after three failed checks in a row; an unanswered check neither counts nor resets the count', async () => {
    const domain = await stack.add();
    await verified(domain);
    // Gives so many wrong answers; otherwise the server fails.
    let wrongAnswers = 0;
    stack.dns.set(`_waymark.${domain.domain}`, () => {
      wrongAnswers -= 1;
      return wrongAnswers >= 0 ? { TXT: ['waymark-verify=of another'] } : 'servfail';
    });
    const { checks } = await stack.until(domain.id, (status) => status.found[0]!.includes('could be asked'));
    for (const failed of [1, 2]) {
      wrongAnswers = 1;
      const failing = await stack.until(domain.id, ({ failedChecks }) => failedChecks === failed);
      expect(failing.state).toBe('failing');
      // Further checks get no answer.
      await stack.until(domain.id, (status) => status.checks > failing.checks + 1);
      expect(await stack.row(domain.id)).toMatchObject({ isVerified: true, failedChecks: failed });
    }
    wrongAnswers = 1;
    const lost = await stack.until(domain.id, ({ failedChecks }) => failedChecks === 3);
    expect(lost.state).toBe('unverified');
    expect(lost.checks).toBeGreaterThan(checks + 6);
    expect(await stack.row(domain.id)).toMatchObject({ isVerified: false, isPrimary: true });
    await recordHistory('domain-lost', stack.handle(domain.id));
  });
});

describe('a check that is asked for', () => {
  test('a requested check withdraws the verification at once and answers with its findings', async () => {
    const domain = await stack.add();
    await verified(domain);
    stack.dns.set(`_waymark.${domain.domain}`, undefined);
    const wrong = await ask(domain.id);
    expect(wrong).toMatchObject({ outcome: 'wrong', records: [{ type: 'TXT', found: [], ok: false }] });
    expect((await stack.row(domain.id)).isVerified).toBe(false);
    stack.publish(domain);
    expect(await ask(domain.id)).toMatchObject({ outcome: 'right' });
    expect((await stack.row(domain.id)).isVerified).toBe(true);
    await recordHistory('domain-asked', stack.handle(domain.id));
  });

  test('callers that request a check at the same time share it', async () => {
    const domain = await stack.add();
    await verified(domain);
    const place = `_waymark.${domain.domain}`;
    // No answer comes until the resolver gives up: all six calls come while the first is under way.
    stack.dns.set(place, 'silent');
    stack.dns.set(domain.domain, 'silent');
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(domain.id)));
    expect(new Set(answers.map(({ checkedAt }) => checkedAt)).size).toBe(1);
    expect(answers[0]).toMatchObject({ outcome: 'unknown', result: 'unchanged', records: [{ found: 'error' }] });
    expect((await stack.row(domain.id)).isVerified).toBe(true);
  });
});

describe('two organizations', () => {
  test('of two organizations with one name, one has it; the actor of the other reports this and takes the free name over', async () => {
    const name = 'raced.customer.example';
    const domains = await Promise.all([stack.add({ name }), stack.add({ name })]);
    stack.dns.set(`_waymark.${name}`, { TXT: domains.map(({ txtRecord }) => txtRecord) });
    const rows = await eventually(
      () => Promise.all(domains.map(({ id }) => stack.row(id))),
      (both) => both.some(({ isVerified }) => isVerified),
    );
    expect(rows.filter(({ isVerified }) => isVerified)).toHaveLength(1);
    const [winner, loser] = rows[0]!.isVerified ? domains : domains.toReversed();
    await stack.until(loser!.id, ({ state }) => state === 'taken');
    expect(await stack.status(winner!.id)).toMatchObject({ state: 'verified' });
    await stack.db.query('update domains set deleted_at = now(), is_primary = false where id = $1', [winner!.id]);
    await stack.until(loser!.id, ({ state }) => state === 'verified');
  });
});

describe('an actor', () => {
  test('an actor continues as new in time, however many checks are requested', async () => {
    const domain = await stack.add();
    await verified(domain);
    const { runId } = (await stack.handle(domain.id).describe()) as { runId: string };
    let latest = runId;
    for (let asked = 0; asked < 60 && latest === runId; asked += 1) {
      await ask(domain.id);
      latest = (await stack.handle(domain.id).describe()).runId;
    }
    expect(latest).not.toBe(runId);
    expect((await stack.until(domain.id, ({ checks }) => checks > 10)).state).toBe('verified');
    const first = stack.client.workflow.getHandle(`domain/${domain.id}`, runId);
    expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW');
    await recordHistory('domain-continued', first);
  });

  test('an actor that Temporal has lost is started again', async () => {
    const domain = await stack.add();
    await stack.until(domain.id, ({ checks }) => checks > 0);
    await stack.handle(domain.id).terminate();
    stack.publish(domain);
    await stack.db.query(`update domains set next_check_at = now() - interval '1 minute' where id = $1`, [domain.id]);
    const row = await eventually(
      () => stack.row(domain.id),
      ({ isVerified }) => isVerified,
    );
    expect(row.nextCheckAt > row.lastCheckedAt!).toBe(true);
    expect((await stack.until(domain.id, ({ state }) => state === 'verified')).failedChecks).toBe(0);
  });

  test('an actor ends when its domain is deleted', async () => {
    const domain = await stack.add();
    await stack.until(domain.id, ({ checks }) => checks > 0);
    const handle = stack.handle(domain.id);
    await stack.db.query('update domains set deleted_at = now(), is_primary = false where id = $1', [domain.id]);
    await handle.signal('wake');
    expect(await handle.result()).toMatchObject({ state: 'deleted', nextAt: null });
    await recordHistory('domain-deleted', handle);
  });
});
