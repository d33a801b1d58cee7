import { Parser } from 'htmlparser2';

/** What the head of a page tells of it; null: it does not say. */
interface PageFacts {
  title: string | null;
  description: string | null;
  /** Absolute address of the picture. */
  imageUrl: string | null;
  /** Absolute address of the icon: of several the first that is no SVG. */
  iconUrl: string | null;
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
  let icon: string | undefined;
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
      } else if (name === 'link') {
        const isIcon = /(?:^|\s)(?:icon|apple-touch-icon)(?:\s|$)/i.test(attributes['rel'] ?? '');
        const isDrawing = /svg/i.test(attributes['type'] ?? '') || /\.svg(?:[?#]|$)/i.test(attributes['href'] ?? '');
        if (isIcon && !isDrawing) icon ??= attributes['href'];
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
  return {
    title: first(titleNames, longestTitle) ?? (clean(title, longestTitle) || null),
    description: first(descriptionNames, longestDescription),
    imageUrl: webAddress(image, base),
    iconUrl: webAddress(icon?.trim(), base),
  };
}

function webAddress(text: string | undefined, base: URL): string | null {
  const url = text === undefined || text === '' ? null : URL.parse(text, base.href);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
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
