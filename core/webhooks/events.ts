import { uuidv7 } from '#core/lib/uuid.ts';
import type { Site } from '#core/links/site.ts';
import type { EventData } from './event-data.ts';
import type { DisabledReason } from './standing.ts';

/** The events that webhooks may subscribe to. */
export const eventTypes = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.clicked',
  'link.flagged',
  'link.expired',
  'link.capped',
  'domain.verified',
  'domain.lost',
  'import.completed',
  'webhook.disabled',
] as const;
export type EventType = (typeof eventTypes)[number];
/** The type of test events. No webhook can subscribe to it. */
export const testEventType = 'webhook.test';
export const deliveredTypes = [...eventTypes, testEventType] as const;
export type DeliveredType = (typeof deliveredTypes)[number];

/** What `link.clicked` shows of a click besides `isQrCode` and `clickedAt`: columns of `clicks` in camel case (docs/contract.md#6.9). */
export const clickedFields = [
  'country',
  'city',
  'region',
  'device',
  'browser',
  'os',
  'referer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'continent',
  'lang',
  'destination',
] as const;

/** An event, ready to be stored: `body` holds the bytes that every delivery sends. */
export interface EventDraft {
  id: string;
  organizationId: string;
  type: DeliveredType;
  /** Null: the event is not about a link. */
  linkId: string | null;
  body: string;
  createdAt: Date;
}

export interface EventLink {
  id: string;
  organizationId: string;
  slug: string;
  domain: string;
}

/** A link whose clicks have reached its cap. */
export interface CappedLink extends EventLink {
  maxClicks: number;
  clicks: number;
}

/** The event of a link whose clicks have reached its cap. */
export function createCappedEvent(link: CappedLink, site: Pick<Site, 'originUrl'>, now: Date): EventDraft {
  const { id, organizationId, slug, domain, maxClicks, clicks } = link;
  const data = { link: { id, slug, shortUrl: site.originUrl(domain, slug), maxClicks, clicks } };
  return createEvent('link.capped', { organizationId, linkId: id, data, now });
}

/** The event of a link whose `expiresAt` has passed. */
export function createExpiredEvent(
  link: EventLink & { expiresAt: Date },
  site: Pick<Site, 'originUrl'>,
  now: Date,
): EventDraft {
  const { id, organizationId, slug, domain, expiresAt } = link;
  const data = { link: { id, slug, shortUrl: site.originUrl(domain, slug), expiresAt: expiresAt.toISOString() } };
  return createEvent('link.expired', { organizationId, linkId: id, data, now });
}

/** The event of a webhook that was turned off. The host stands for its URL, whose path and query may hold secrets of the receiver. */
export function createDisabledEvent(
  { id, organizationId, name, url }: { id: string; organizationId: string; name: string | null; url: string },
  disabledReason: DisabledReason,
  now: Date,
): EventDraft {
  const data = { webhook: { id, name, host: new URL(url).host, disabledReason } };
  return createEvent('webhook.disabled', { organizationId, linkId: null, data, now });
}

/** The content of a new event. `isTest`: a sample, which a call asked for. */
interface EventContent<Type extends DeliveredType> {
  organizationId: string;
  linkId: string | null;
  data: EventData<Type>;
  now: Date;
  isTest?: boolean;
}

/** A new event with its envelope `{id, type, createdAt, data}`; that of a sample has `isTest: true` too. */
export function createEvent<Type extends DeliveredType>(
  type: Type,
  { organizationId, linkId, data, now, isTest = false }: EventContent<Type>,
): EventDraft {
  const id = uuidv7();
  const body = JSON.stringify({ id, type, createdAt: now.toISOString(), data, ...(isTest && { isTest }) });
  return { id, organizationId, type, linkId, body, createdAt: now };
}
