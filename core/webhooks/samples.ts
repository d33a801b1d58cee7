import { uuidv7 } from '#core/lib/uuid.ts';
import type { Site } from '#core/links/site.ts';
import type { EventData } from './event-data.ts';
import type { DeliveredType } from './events.ts';

interface SampleContext {
  webhook: { id: string; name: string | null; url: string };
  site: Pick<Site, 'originUrl' | 'platformHost'>;
  now: Date;
}

/**
 * `data` of a test event: the shape that docs/webhook-events.md shows of the type, with a link, domain and import that do not exist. Of
 * `webhook.test` and `webhook.disabled` the webhook is the one that is tested.
 */
export function sampleData<Type extends DeliveredType>(
  type: Type,
  { webhook, site, now }: SampleContext,
): EventData<Type> {
  const at = now.toISOString();
  const slug = 'sample';
  const named = { id: uuidv7(), slug, shortUrl: site.originUrl(site.platformHost, slug) };
  const destination = { type: 'link', value: 'https://example.com/' } as const;
  const earlier = { type: 'link', value: 'https://example.com/earlier' };
  const previous = { ...earlier, enableDeepLinking: false, iosDeepLink: null, androidDeepLink: null };
  const domain = { id: uuidv7(), domain: 'go.example.com' };
  const counts = { total: 3, imported: 2, skipped: 1, failed: 0, notMade: 0 };
  const { id, name, url } = webhook;
  const samples: { [Each in DeliveredType]: EventData<Each> } = {
    'link.created': { link: { ...named, destination, createdAt: at } },
    'link.updated': { link: { ...named, destination, updatedAt: at }, previous: { destination: previous } },
    'link.deleted': { link: { id: named.id, slug, deletedAt: at } },
    'link.clicked': { link: named, click: { ...sampleClick, clickedAt: at } },
    'link.flagged': { link: { ...named, destination }, threatTypes: ['MALWARE'] },
    'link.expired': { link: { ...named, expiresAt: at } },
    'link.capped': { link: { ...named, maxClicks: 100, clicks: 100 } },
    'domain.verified': { domain: { ...domain, isVerified: true } },
    'domain.lost': { domain: { ...domain, isVerified: false } },
    'import.completed': {
      import: { id: uuidv7(), format: 'csv', state: 'completed', ...counts, createdAt: at, finishedAt: at },
    },
    'webhook.disabled': { webhook: { id, name, host: new URL(url).host, disabledReason: 'consecutive_failures' } },
    'webhook.test': { webhook: { id } },
  };
  return samples[type];
}

const sampleClick = {
  country: 'DE',
  city: 'Berlin',
  region: null,
  device: 'desktop',
  browser: 'Chrome',
  os: 'macOS',
  referer: 'news.example',
  utmSource: 'news',
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
  continent: 'EU',
  lang: 'de',
  destination: 'https://example.com/',
  isQrCode: false,
};
