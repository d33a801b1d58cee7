import { toActivityRow } from '#core/audit/activity.ts';
import { isDeepStrictEqual } from 'node:util';
import { type DestinationDraft, webAddressesOfDestination } from '#core/links/destination.ts';
import { createEvent } from '#core/webhooks/events.ts';
import type { Site } from '#core/links/site.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import type { Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { notifyDomain } from '#db/notifications/notify.ts';
import { channels, notify, notifyLinks } from '#db/notifications/notify.ts';
import {
  listAffectedDomains,
  listAffectedLinks,
  listUnreported,
  readAffectedLinks,
} from '#db/threats/affected-links.ts';
import { requestThreatMail } from '#db/threats/threat-mail.ts';
import {
  type ChangedVerdict,
  type KnownVerdict,
  listScanTargets,
  requestRows,
  type StoredVerdict,
  storeRows,
  type WantedVerdict,
} from '#db/threats/verdicts.ts';
import { type Lane, lanes } from '#db/outbox.ts';
import { type LocalAnswers, noLocalAnswers, type ScanAnswer } from '#core/threats/answer.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { insertActivities } from '#db/audit/activities.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

/**
 * The verdict that a link shows, from those of its destinations: known threats count, and it is clean (`[]`) once all of them
 * are; null: not known yet. `db/links/view.ts` says the same in SQL for links that are read, `commands/links/create/created-view.ts` for new
 * ones.
 */
export function joinVerdicts(verdicts: readonly (readonly ThreatType[] | null)[]): ThreatType[] | null {
  const found = new Set(verdicts.flatMap((types) => types ?? []));
  if (found.size > 0) return threatTypes.filter((type) => found.has(type));
  return verdicts.includes(null) ? null : [];
}

/** Verdicts by hexadecimal URL hash. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/**
 * `threatTypes`: `[]` clean, null unknown. Where it is not fresh, a scan is under way, whose result is announced on
 * `channels.verdicts`.
 */
type Verdict = Pick<KnownVerdict, 'threatTypes' | 'fresh'>;

// PostgreSQL refuses payloads of 8,000 bytes and more.
const maxPayloadBytes = 7_900;
const linksAtOnce = 500;

/** Keys (hex) of the verdicts of deep links' web addresses, without the destination's own; null: there are none. */
export function deepLinkHashes(destination: DestinationDraft): string[] | null {
  const urls = webAddressesOfDestination(destination).filter(
    (url) => destination.type !== 'link' || url !== destination.value,
  );
  return urls.length === 0 ? null : urls.map(hexHashOfUrl);
}

interface ScannedDestination {
  id: string;
  url: string;
  /** Key (hex) of the verdict, where it is known already. */
  urlHash?: string | null;
  /** Its scan counts in the daily budget of this organization. */
  organizationId: string;
  lane: Lane;
  /** What the installation knows about the address by itself. */
  answer?: ScanAnswer | undefined;
}

// The destination and the rules that most links have. Further addresses of one link wait in the bulk lane.
const interactiveOfOneLink = 10;

/**
 * Adds organization, lane and known answer to the destinations of a link.
 * @param isBulk the link is part of a bulk call or an import.
 */
export function withLanes(
  organizationId: string,
  destinations: readonly Pick<ScannedDestination, 'id' | 'url' | 'urlHash'>[],
  { isBulk = false, localAnswers = noLocalAnswers }: { isBulk?: boolean; localAnswers?: LocalAnswers | undefined } = {},
): ScannedDestination[] {
  return destinations.map((destination, index) => ({
    ...destination,
    organizationId,
    lane: isBulk || index >= interactiveOfOneLink ? lanes.bulk : lanes.interactive,
    answer: localAnswers.get(destination.url),
  }));
}

// The scan that reports a known threat to the organization may wait for a Temporal service that is away, and an expired verdict
// would be asked for again. A link to the same address does not rely on it: it brings an answer of its own.
const reportedWithinMs = 86_400_000;

/**
 * Requests the verdicts of changed destinations, in the transaction that changes them: URLs without a fresh verdict go
 * into the outbox, to be scanned. A known answer is stored as the verdict, unless another one is stored that it contradicts.
 * @param destinations `url` http or https; `id` of the destination, of the link whose expired URL it is, or of the domain whose
 * fallback it is.
 * @returns the verdict of each URL, a stale one included.
 */
export async function requestVerdicts(tx: Transaction, destinations: readonly ScannedDestination[]): Promise<Verdicts> {
  if (destinations.length === 0) return new Map();
  const hashed = destinations.map(({ id, url, urlHash: key, organizationId, lane, answer }): WantedVerdict => ({
    id,
    url,
    urlHash: key ?? hexHashOfUrl(url),
    organizationId,
    lane,
    threatTypes: answer?.threatTypes ?? null,
    expiresAt: answer === undefined ? null : expiryOf(answer),
  }));
  const verdicts = new Map<string, Verdict>();
  for (const { urlHash: hash, threatTypes } of hashed) verdicts.set(hash, { threatTypes, fresh: threatTypes !== null });
  for (const { urlHash: hash, threatTypes, fresh } of await requestRows(tx, hashed))
    if (!verdicts.get(hash)!.fresh) verdicts.set(hash, { threatTypes, fresh });
  return verdicts;
}

function expiryOf({ threatTypes, expiresAt }: ScanAnswer): Date {
  return threatTypes.length === 0 ? expiresAt : new Date(Math.max(expiresAt.getTime(), Date.now() + reportedWithinMs));
}

export function pickVerdicts(verdicts: Verdicts, hashes: readonly string[]): Verdicts {
  return new Map(
    hashes.flatMap((hash) => {
      const verdict = verdicts.get(hash);
      return verdict === undefined ? [] : [[hash, verdict] as const];
    }),
  );
}

/**
 * Stores verdicts and announces them. Where a verdict changes, edges are notified and `link.updated` is written for every link
 * that leads to the URL; where threats are new, `link.flagged` too, and they are noted for the owners' mail. A first verdict that is clean is no change; a first one with threats is,
 * since answers may have shown the destination as unknown.
 */
export async function storeVerdicts(em: EntityManager, verdicts: readonly StoredVerdict[], site: Site): Promise<void> {
  if (verdicts.length === 0) return;
  await em.transactional(async (em) => {
    const changed = await storeRows(em, verdicts);
    if (changed.length > 0) await reportChanges(em, changed, site);
    for (const payload of announcements(verdicts)) await notify(em, channels.verdicts, payload);
  });
}

async function reportChanges(em: EntityManager, changed: readonly ChangedVerdict[], site: Site): Promise<void> {
  const hashes = changed.map((verdict) => verdict.urlHash);
  const dangerous = changed.filter(({ before, now: types }) => types.some((type) => before?.includes(type) !== true));
  const found = new Map(dangerous.map(({ urlHash: hash, now: types }) => [hash, types]));
  const links = (await listAffectedLinks(em, hashes)).map(({ id, urlHashes }) => {
    const threatTypes = new Set(urlHashes.flatMap((hash) => found.get(hash) ?? []));
    return { id, threatTypes: [...threatTypes].toSorted() };
  });
  await emitUpdates(em, links, changed, site);
  // Edges do not lead to a flagged fallback.
  for (const id of await listAffectedDomains(em, hashes)) await notifyDomain(em, id);
  if (dangerous.length > 0) {
    await requestThreatMail(
      em,
      dangerous.map((verdict) => verdict.urlHash),
    );
  }
}

/**
 * Reports known threats for destinations that were committed after the verdict was: `storeVerdicts` could not see them.
 * Writes `link.updated` and `link.flagged`, and notes the threats for the owners' mail.
 * @param scan `destinationIds` as the outbox names them; `urlHashes` (hexadecimal) of the known threats.
 */
export async function reportKnownThreats(
  em: EntityManager,
  { destinationIds, urlHashes }: { destinationIds: readonly string[]; urlHashes: readonly string[] },
  site: Site,
): Promise<void> {
  if (destinationIds.length === 0 || urlHashes.length === 0) return;
  await em.transactional(async (em) => {
    const targets = await listScanTargets(em, destinationIds);
    const unreported = await listUnreported(
      em,
      targets.filter(({ urlHash: found }) => urlHashes.includes(found)),
    );
    const unknown = urlHashes.map((found) => ({ urlHash: found, before: null }));
    for (const [isShown, group] of Map.groupBy(unreported, (target) => target.isShown)) {
      const links = [...Map.groupBy(group, ({ linkId }) => linkId)].flatMap(([id, found]) => {
        const threatTypes = new Set(found.flatMap((target) => target.threatTypes));
        return id === null ? [] : { id, threatTypes: [...threatTypes].toSorted() };
      });
      await emitUpdates(em, links, isShown ? [] : unknown, site);
    }
    for (const { domainId } of unreported) if (domainId !== null) await notifyDomain(em, domainId);
    for (const [found, group] of Map.groupBy(unreported, (target) => target.urlHash)) {
      await requestThreatMail(
        em,
        [found],
        group.map(({ organizationId }) => organizationId),
      );
    }
  });
}

/**
 * Writes `link.updated` for links, with the present and the earlier threats of their own destination, and `link.flagged` for
 * those with new threats.
 * @param flagged links, each with the types of the new threats that it leads to.
 */
async function emitUpdates(
  em: EntityManager,
  flagged: readonly { id: string; threatTypes: ThreatType[] }[],
  changed: readonly Pick<ChangedVerdict, 'urlHash' | 'before'>[],
  site: Site,
): Promise<void> {
  const now = new Date();
  const before = new Map(changed.map((verdict) => [verdict.urlHash, verdict.before]));
  for (let start = 0; start < flagged.length; start += linksAtOnce) {
    const batch = new Map(flagged.slice(start, start + linksAtOnce).map(({ id, threatTypes }) => [id, threatTypes]));
    const links = await readAffectedLinks(em, [...batch.keys()]);
    // Edges warn of threats.
    await notifyLinks(em, links);
    await insertActivities(
      em,
      links.flatMap(({ id, organizationId, slug }) => {
        const threatTypes = batch.get(id)!;
        const draft = { action: 'shortLink.flagged', subjectId: id, name: slug, details: { threatTypes } } as const;
        return threatTypes.length === 0 ? [] : toActivityRow('system', organizationId, draft, now);
      }),
    );
    await insertEvents(
      em,
      links.flatMap(({ id, organizationId, slug, domain, type, value, updatedAt, verdicts }) => {
        const shortUrl = site.originUrl(domain, slug);
        const threatTypes = joinVerdicts(verdicts.map((verdict) => verdict.threatTypes));
        const earlier = joinVerdicts(
          verdicts.map(
            (verdict) => before.get(verdict.urlHash) ?? (before.has(verdict.urlHash) ? null : verdict.threatTypes),
          ),
        );
        const link = {
          id,
          slug,
          shortUrl,
          // Left out while another address of the destination has no verdict.
          destination: { type, value, ...(threatTypes !== null && { threatTypes }) },
          updatedAt: updatedAt.toISOString(),
        };
        // The threat may be at a rule's destination or at the expired URL.
        const previous = isDeepStrictEqual(threatTypes, earlier)
          ? {}
          : { destination: { type, value, threatTypes: earlier } };
        const about = { organizationId, linkId: id, now };
        const updated = createEvent('link.updated', { ...about, data: { link, previous } });
        const newTypes = batch.get(id)!;
        if (newTypes.length === 0) return updated;
        const data = { link: { id, slug, shortUrl, destination: { type, value } }, threatTypes: newTypes };
        return [updated, createEvent('link.flagged', { ...about, data })];
      }),
    );
  }
}

/** Writes payloads of `channels.verdicts`: JSON objects of hash to types, each small enough for one notification. */
export function announcements(verdicts: readonly Pick<StoredVerdict, 'urlHash' | 'threatTypes'>[]): string[] {
  const payloads: string[] = [];
  let members: string[] = [];
  let bytes = 1;
  for (const { urlHash: hash, threatTypes } of verdicts) {
    const member = `${JSON.stringify(hash)}:${JSON.stringify(threatTypes)}`;
    if (bytes + member.length + 1 > maxPayloadBytes) {
      payloads.push(`{${members.join(',')}}`);
      members = [];
      bytes = 1;
    }
    members.push(member);
    bytes += member.length + 1;
  }
  if (members.length > 0) payloads.push(`{${members.join(',')}}`);
  return payloads;
}
