import { LRUCache } from 'lru-cache';
import { follow } from '#adapters/http/follow.ts';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import type { Images } from '#adapters/images/images.ts';
import { decodePage, readPage } from './read-page.ts';

export type SiteIcons = ReturnType<typeof createSiteIcons>;

interface SiteIconsOptions {
  /** Reads as much of an answer as a page or a picture may have. */
  http: Pick<GuardedHttp, 'request'>;
  images: Pick<Images, 'icon'>;
}

// Within which the page and the icon must have come.
const timeoutMs = 5_000;
const dayMs = 86_400_000;
// A site that did not answer may do so later.
const keptWithoutMs = 3_600_000;
const keptBytes = 8 * 1024 * 1024;
// What an entry without an icon takes, roughly.
const entryBytes = 200;
const side = 32;

/** Icons of sites that links lead to. */
export function createSiteIcons({ http, images }: SiteIconsOptions) {
  const kept = new LRUCache<string, { icon: Buffer | null }>({
    maxSize: keptBytes,
    sizeCalculation: ({ icon }, origin) => entryBytes + origin.length + (icon?.length ?? 0),
    async fetchMethod(origin, _stale, { options }) {
      const icon = await read(origin);
      options.ttl = icon === null ? keptWithoutMs : dayMs;
      return { icon };
    },
    ignoreFetchAbort: true,
  });

  async function read(origin: string): Promise<Buffer | null> {
    const deadline = performance.now() + timeoutMs;
    const named = await findNamed(origin, deadline);
    const icon = named === null ? null : await draw(named, deadline);
    return icon ?? draw(`${origin}/favicon.ico`, deadline);
  }

  /** Address of the icon that the home page names. */
  async function findNamed(origin: string, deadline: number): Promise<string | null> {
    try {
      const { url, answer } = await follow(http, `${origin}/`, { timeoutMs: leftMs(deadline) });
      const type = answer.headers['content-type'] ?? '';
      return /^\s*text\/html\b/i.test(type) ? readPage(decodePage(answer.body, type), url).iconUrl : null;
    } catch {
      return null;
    }
  }

  async function draw(url: string, deadline: number): Promise<Buffer | null> {
    try {
      const { answer } = await follow(http, url, { timeoutMs: leftMs(deadline), headers: { accept: 'image/*' } });
      return answer.status >= 300 || answer.isTruncated ? null : await images.icon(answer.body, side);
    } catch {
      return null;
    }
  }

  return {
    /**
     * The icon that the site's home page names, else its `/favicon.ico`, as a PNG of 32 pixels at most; null: it has none that can be
     * read in time. Never rejects for the site's sake, and answers from memory for a day.
     * @param origin such as https://example.com.
     */
    find: async (origin: string): Promise<Buffer | null> => (await kept.forceFetch(origin)).icon,
  };
}

const leftMs = (deadline: number): number => Math.max(1, deadline - performance.now());
