import { LRUCache } from 'lru-cache';
import { follow } from '#adapters/http/follow.ts';
import { type GuardedHttp, GuardedHttpError, type GuardedHttpErrorKind } from '#adapters/http/guarded-http.ts';
import type { Images } from '#adapters/images/images.ts';
import { refusesFrames } from '#core/links/frames.ts';
import { decodePage, readPage } from './read-page.ts';

/**
 * Why a page tells nothing: the request failed, its redirects do not end, it answered with an error (`status`), or with another
 * thing than a page (`not-a-page`).
 */
type PreviewProblem = Exclude<GuardedHttpErrorKind, 'aborted'> | 'redirects' | 'status' | 'not-a-page';

/** A page as others see it before they visit it. */
interface PagePreview {
  /** Where the redirects end. */
  finalUrl: string;
  /** The HTTP status there; null: no answer came. */
  status: number | null;
  title: string | null;
  description: string | null;
  /** The picture, at most 480 × 252 pixels, as a `data:` address. */
  image: string | null;
  /** Whether pages of the embedder may show it in a frame; null where no page answered. */
  isFrameable: boolean | null;
  problem: PreviewProblem | null;
}

export type PagePreviews = ReturnType<typeof createPagePreviews>;

interface PagePreviewOptions {
  /** Calls http addresses too, and reads as much of an answer as a page or a picture may have. */
  http: Pick<GuardedHttp, 'request'>;
  images: Pick<Images, 'thumbnail'>;
  /** Address of the page with the frame of a cloaked link. */
  embedder: URL;
  /** Within which a page and its picture must have come. */
  timeoutMs?: number;
}

const keptMs = 60_000;
const keptBytes = 8 * 1024 * 1024;
const thumbnail = { width: 480, height: 252 };

/** Looks at pages that customers name. */
export function createPagePreviews({ http, images, embedder, timeoutMs = 5_000 }: PagePreviewOptions) {
  const kept = new LRUCache<string, PagePreview>({
    ttl: keptMs,
    maxSize: keptBytes,
    sizeCalculation: (preview, url) => url.length + JSON.stringify(preview).length,
    fetchMethod: read,
    ignoreFetchAbort: true,
  });

  async function read(url: string): Promise<PagePreview> {
    const deadline = performance.now() + timeoutMs;
    const blank = { title: null, description: null, image: null, isFrameable: null };
    try {
      const { url: page, answer, isUnfinished } = await follow(http, url, { timeoutMs });
      const reached = { ...blank, finalUrl: page.href, status: answer.status };
      if (isUnfinished) return { ...reached, problem: 'redirects' };
      if (answer.status >= 300) return { ...reached, problem: 'status' };
      const isFrameable = !refusesFrames(answer.headers, embedder, page);
      const type = answer.headers['content-type'] ?? '';
      if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
        return { ...reached, isFrameable, problem: 'not-a-page' };
      }
      const { imageUrl, iconUrl: _icon, ...facts } = readPage(decodePage(answer.body, type), page);
      const image = imageUrl === null ? null : await readImage(imageUrl, deadline - performance.now());
      return { ...reached, ...facts, image, isFrameable, problem: null };
    } catch (error) {
      if (!(error instanceof GuardedHttpError) || error.kind === 'aborted') throw error;
      return { ...blank, finalUrl: url, status: null, problem: error.kind };
    }
  }

  /** A picture that does not come in time, or is none, is left out. */
  async function readImage(url: string, leftMs: number): Promise<string | null> {
    try {
      const { answer } = await follow(http, url, { timeoutMs: Math.max(1, leftMs), headers: { accept: 'image/*' } });
      if (answer.status >= 300 || answer.isTruncated) return null;
      const bytes = await images.thumbnail(answer.body, thumbnail);
      return `data:image/jpeg;base64,${bytes.toString('base64')}`;
    } catch {
      return null;
    }
  }

  return {
    /**
     * Never rejects for the page's sake: `problem` tells. Answers for a minute from memory.
     * @param url an http or https address.
     */
    look: (url: string) => kept.forceFetch(url),
  };
}
