import { LRUCache } from 'lru-cache';
import { follow } from '#adapters/http/follow.ts';
import { type GuardedHttp, GuardedHttpError, type GuardedHttpErrorKind } from '#adapters/http/guarded-http.ts';
import type { Images } from '#adapters/images/images.ts';
import { refusesFrames } from '#core/links/frames.ts';
import { Parser } from 'htmlparser2';

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

/** Looks at pages that customers name. */
export interface PagePreviews {
  /**
   * Never rejects for the page's sake: `problem` tells. Answers for a minute from memory.
   * @param url an http or https address.
   */
  look(url: string): Promise<PagePreview>;
}

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

export function createPagePreviews({ http, images, embedder, timeoutMs = 5_000 }: PagePreviewOptions): PagePreviews {
  const kept = new LRUCache<string, PagePreview>({
    ttl: keptMs,
    maxSize: keptBytes,
    sizeCalculation: (preview, url) => url.length + JSON.stringify(preview).length,
  });
  const underWay = new Map<string, Promise<PagePreview>>();

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
      const { imageUrl, ...facts } = readPage(decodePage(answer.body, type), page);
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
    async look(url) {
      const known = kept.get(url) ?? underWay.get(url);
      if (known !== undefined) return known;
      const reading = read(url).finally(() => underWay.delete(url));
      underWay.set(url, reading);
      const preview = await reading;
      kept.set(url, preview);
      return preview;
    },
  };
}

/** What the head of a page tells of it; null: it does not say. */
interface PageFacts {
  title: string | null;
  description: string | null;
  /** Absolute address of the picture. */
  imageUrl: string | null;
}

const longestTitle = 300;
const longestDescription = 1_000;
// Chromium nests elements 512 deep at most. The parser's time grows with the square of the depth: 512 KiB of `<ul><li>` took 6 s.
const maxDepth = 512;
// Where several tell the same, the first of these counts.
const titleNames = ['og:title', 'twitter:title'];
const descriptionNames = ['og:description', 'twitter:description', 'description'];
const imageNames = ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'];

/**
 * Reads title, description and picture of a page as networks do: Open Graph first, then the names of X, then the page's own. Reading
 * ends where elements are nested deeper than browsers nest them.
 * @param url of the page; its `<base>` and it resolve the picture's address.
 */
export function readPage(html: string, url: URL): PageFacts {
  const metas = new Map<string, string>();
  let base = url;
  let title = '';
  let isInTitle = false;
  let isTitleRead = false;
  let drawings = 0;
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > maxDepth) parser.pause();
      if (name === 'meta') {
        const key = (attributes['property'] ?? attributes['name'] ?? '').trim().toLowerCase();
        const content = attributes['content'];
        if (key !== '' && content !== undefined && !metas.has(key)) metas.set(key, content);
      } else if (name === 'base') {
        base = URL.parse(attributes['href'] ?? '', url.href) ?? base;
      } else if (name === 'svg') {
        drawings += 1;
      } else if (name === 'title') {
        // Drawings have titles of their own.
        isInTitle = !isTitleRead && drawings === 0;
      }
    },
    ontext(text) {
      if (isInTitle && title.length < longestTitle * 4) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'svg') drawings -= 1;
      else if (name === 'title' && isInTitle) {
        isInTitle = false;
        isTitleRead = true;
      }
    },
  });
  parser.end(html);
  const first = (names: readonly string[], longest: number): string | null =>
    names.map((name) => clean(metas.get(name) ?? '', longest)).find((text) => text !== '') ?? null;
  const image = imageNames.map((name) => metas.get(name)?.trim()).find((text) => text !== undefined && text !== '');
  const imageUrl = image === undefined ? null : URL.parse(image, base.href);
  return {
    title: first(titleNames, longestTitle) ?? (clean(title, longestTitle) || null),
    description: first(descriptionNames, longestDescription),
    imageUrl: imageUrl !== null && /^https?:$/.test(imageUrl.protocol) ? imageUrl.href : null,
  };
}

/** Decodes a page by the charset of its header, of its first bytes, or as UTF-8. */
export function decodePage(bytes: Buffer, contentType: string): string {
  const named = /charset\s*=\s*["']?([\w.:-]+)/i;
  const label = named.exec(contentType)?.[1] ?? named.exec(bytes.toString('latin1', 0, 1_024))?.[1] ?? 'utf-8';
  return decoderOf(label).decode(bytes);
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    // A charset that nothing knows.
    return new TextDecoder();
  }
}

function clean(text: string, longest: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const letters = Array.from(line);
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`;
}
