import { uuidv7 } from '#core/lib/uuid.ts';
import type { Site } from '#core/links/site.ts';
import type { DeliveredType } from './events.ts';

/** What the samples are made for. */
interface SampleContext {
  webhook: { id: string; name: string | null; url: string };
  site: Pick<Site, 'originUrl' | 'platformHost'>;
  now: Date;
}

/**
 * `data` of a test event: the shape that docs/webhook-events.md shows of the type, with a link, domain and import that do not exist. Of
 * `webhook.test` and `webhook.disabled` the webhook is the one that is tested.
 */
export function sampleData(type: DeliveredType, { webhook, site, now }: SampleContext): object {
  const at = now.toISOString();
  const slug = 'sample';
  const named = { id: uuidv7(), slug, shortUrl: site.originUrl(site.platformHost, slug) };
  const destination = { type: 'link', value: 'https://example.com/' };
  const domain = { id: uuidv7(), domain: 'go.example.com' };
  switch (type) {
    case 'link.created':
      return { link: { ...named, destination, createdAt: at } };
    case 'link.updated': {
      const earlier = { type: 'link', value: 'https://example.com/earlier' };
      const previous = { ...earlier, enableDeepLinking: false, iosDeepLink: null, androidDeepLink: null };
      return { link: { ...named, destination, updatedAt: at }, previous: { destination: previous } };
    }
    case 'link.deleted':
      return { link: { id: named.id, slug, deletedAt: at } };
    case 'link.clicked':
      return { link: named, click: { ...sampleClick, clickedAt: at } };
    case 'link.flagged':
      return { link: { ...named, destination }, threatTypes: ['MALWARE'] };
    case 'link.expired':
      return { link: { ...named, expiresAt: at } };
    case 'link.capped':
      return { link: { ...named, maxClicks: 100, clicks: 100 } };
    case 'domain.verified':
      return { domain: { ...domain, isVerified: true } };
    case 'domain.lost':
      return { domain: { ...domain, isVerified: false } };
    case 'import.completed': {
      const counts = { total: 3, imported: 2, skipped: 1, failed: 0, notMade: 0 };
      return {
        import: { id: uuidv7(), format: 'csv', state: 'completed', ...counts, createdAt: at, finishedAt: at },
      };
    }
    case 'webhook.disabled': {
      const { id, name, url } = webhook;
      return { webhook: { id, name, host: new URL(url).host, disabledReason: 'consecutive_failures' } };
    }
    case 'webhook.test':
      return { webhook: { id: webhook.id } };
  }
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
