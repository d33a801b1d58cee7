import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordAskedCheck } from '#commands/domains/checks.ts';
import { cancelImport, createImport, importRows, stopImport } from '#commands/imports/imports.ts';
import { requestVerdicts, storeVerdicts, withLanes } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { updateWebhook } from '#commands/webhooks/webhooks.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { EventType } from '#core/webhooks/events.ts';
import { createLinkOwner, insertLinks } from '#test/support/durable.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { allPermissions, createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { insertRow } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/test-worker.ts';

const db = useTestDatabase();
let organization: TestOrganization;
beforeAll(async () => {
  organization = await createOrganization(db);
});

/** `data` of the events of a type that name an id, the earliest first. */
async function eventsOf(type: EventType, id: string): Promise<unknown[]> {
  const { rows } = await db.query<{ body: string }>(
    `select body from events where type = $1 and body like '%' || $2 || '%' order by id`,
    [type, id],
  );
  return rows.map(({ body }) => JSON.parse(body).data);
}

describe('domain.verified and domain.lost', () => {
  const check = (id: string, outcome: 'right' | 'wrong' | 'unknown') => {
    const [startedAt, now] = [new Date(), new Date()];
    return recordAskedCheck(
      emOf(db),
      { id, organizationId: organization.id },
      { outcome, records: [] },
      { startedAt, now, random: 0 },
    );
  };

  test('each change of a domain has one event, also of two checks at the same moment, and a check without a change has none', async () => {
    const { id, domain } = await createDomain(db, organization.id, { isVerified: false });
    await check(id, 'wrong');
    await Promise.all([check(id, 'right'), check(id, 'right')]);
    await check(id, 'unknown');
    expect(await eventsOf('domain.verified', id)).toEqual([{ domain: { id, domain, isVerified: true } }]);
    expect(await eventsOf('domain.lost', id)).toEqual([]);
    await Promise.all([check(id, 'wrong'), check(id, 'wrong')]);
    expect(await eventsOf('domain.lost', id)).toEqual([{ domain: { id, domain, isVerified: false } }]);
    await check(id, 'right');
    expect(await eventsOf('domain.verified', id)).toHaveLength(2);
  });
});

describe('import.completed', () => {
  const options = () => ({ site, now: new Date(), findLocalAnswers: findNoLocalAnswers });
  const add = async (): Promise<string> => {
    const { id: organizationId, botId: userId } = organization;
    const actor = { organizationId, userId, plan: 'premium' as const, permissions: allPermissions };
    const rows = [['https://example.com/'], ['no address']];
    const domainId = (await createDomain(db, organizationId)).id;
    const draft = { format: 'csv' as const, header: ['url'], rows, bytes: 40, folderId: undefined, domainId };
    const limits = { ...options(), bytesPerDay: 1e9 };
    return (await emOf(db).transactional((em) => createImport(em, actor, draft, limits))).id;
  };
  const step = (id: string) => emOf(db).transactional((em) => importRows(em, id, 10, options()));

  test('an import that ends has one event with its counts, however often its end is handled', async () => {
    const id = await add();
    await step(id);
    expect(await eventsOf('import.completed', id)).toEqual([]);
    await Promise.all([step(id), step(id)]);
    await step(id);
    const counts = { total: 2, imported: 1, skipped: 0, failed: 1 };
    expect(await eventsOf('import.completed', id)).toMatchObject([{ import: { id, state: 'completed', ...counts } }]);
  });

  test('an import that staff stop has one event, and a refused second stop none', async () => {
    const id = await add();
    const stop = () => emOf(db).transactional((em) => stopImport(em, id, new Date()));
    await stop();
    await expect(stop()).rejects.toThrow('The import is over');
    expect(await eventsOf('import.completed', id)).toMatchObject([{ import: { id, state: 'failed', imported: 0 } }]);
  });

  test('an import that is cancelled twice has one event, which counts the rows that were left', async () => {
    const id = await add();
    await emOf(db).transactional((em) => importRows(em, id, 1, options()));
    const { id: organizationId, botId: userId } = organization;
    const actor = { organizationId, userId, plan: 'premium' as const, permissions: allPermissions };
    const cancel = () => emOf(db).transactional((em) => cancelImport(em, actor, id, new Date()));
    await Promise.all([cancel(), cancel(), step(id)]);
    expect(await eventsOf('import.completed', id)).toHaveLength(1);
  });
});

describe('webhook.disabled', () => {
  test('turning a webhook off has one event, and a call that switches nothing has none', async () => {
    const url = 'https://hooks.example.com/secret?token=1';
    const { id } = await insertRow(db, 'webhooks', { organization_id: organization.id, url, name: 'CRM' });
    const patch = (isActive: boolean) =>
      emOf(db).transactional((em) => updateWebhook(em, 'staff', id, { isActive }, { now: new Date() }));
    for (const isActive of [true, false, false, true]) await patch(isActive);
    expect(await eventsOf('webhook.disabled', id)).toEqual([
      { webhook: { id, name: 'CRM', host: 'hooks.example.com', disabledReason: 'turned_off' } },
    ]);
  });
});

describe('link.flagged', () => {
  test('a link has an event for each verdict with new threats, none for a repeated or a clean one', async () => {
    const url = `https://${uuidv7()}.example/`;
    const owner = await createLinkOwner(db);
    const [link] = await insertLinks(db, owner, [url]);
    const scanned = withLanes(owner.organizationId, [{ id: link!.destinationId, url }]);
    await db.transaction((tx) => requestVerdicts(tx, scanned));
    const store = (...threatTypes: ThreatType[]) => {
      const verdict = { urlHash: hexHashOfUrl(url), threatTypes, expiresAt: new Date(Date.now() + 60_000) };
      return storeVerdicts(emOf(db), [verdict], site);
    };
    await store();
    await Promise.all([store('MALWARE'), store('MALWARE')]);
    await store('MALWARE');
    expect(await eventsOf('link.flagged', link!.id)).toMatchObject([
      { link: { id: link!.id, destination: { type: 'link', value: url } }, threatTypes: ['MALWARE'] },
    ]);
    await store();
    await store('SOCIAL_ENGINEERING');
    expect(await eventsOf('link.flagged', link!.id)).toMatchObject([{}, { threatTypes: ['SOCIAL_ENGINEERING'] }]);
  });
});
