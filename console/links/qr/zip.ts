import { Zip, ZipDeflate } from 'fflate';
import { messageOf } from '#console/api/error.ts';
import { readFile } from '#console/api/links/files.ts';
import { type LinkFilters, readLink, readLinks } from '#console/api/links/links.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { BulkProgress } from '#console/links/list/bulk/run.ts';
import type { Selection } from '#console/links/list/selection.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import type { QrLogo } from '#core/links/qr/draw.ts';
import { drawnSide, drawPicture, readLogo } from './draw.ts';

/** A link of which a code is drawn. */
type LinkToDraw = Pick<ShortLink, 'id' | 'slug' | 'originUrl'> & {
  /** Null and undefined: the plain style. */
  qrCode?: ShortLink['qrCode'] | undefined;
};

interface ZipRun {
  selection: Selection;
  /** Filters of the list in which the links were selected. */
  filters: LinkFilters;
  /** How many links the filters find. */
  count: number;
  onProgress: (progress: BulkProgress) => void;
  /** Stops after the code that is being drawn. */
  signal: AbortSignal;
}

interface ZippedCodes {
  zip: Blob;
  /** How many codes are in it. */
  drawn: number;
  failed: BulkProgress['failed'];
}

/** What a ZIP needs of the API and the browser. */
interface ZipTools {
  readPages: (filters: LinkFilters, signal: AbortSignal) => AsyncIterable<readonly LinkToDraw[]>;
  readLink: (id: string, signal: AbortSignal) => Promise<LinkToDraw>;
  readLogo: (imageId: string, signal: AbortSignal) => Promise<QrLogo>;
  draw: typeof drawPicture;
}

const linksAPage = 100;
// Below a frame of a slow screen, so that progress is drawn and Stop is heard.
const yieldAfterMs = 30;

const tools: ZipTools = {
  readPages: (filters, signal) => readLinks(filters, { withQrCodeTemplate: true }, signal),
  readLink,
  readLogo: async (id, signal) => readLogo(await readFile(id, signal)),
  draw: drawPicture,
};

/**
 * Draws the codes of the selected links as SVG and packs them into a ZIP, one folder a domain.
 * @returns undefined where it was stopped; else the archive, and links whose code could not be drawn, with reasons.
 */
export async function zipQrCodes(
  { selection, filters, count, onProgress, signal }: ZipRun,
  { draw, readLogo: readLogoOf, ...reads }: ZipTools = tools,
): Promise<ZippedCodes | undefined> {
  const failed: { id: string; reason: string }[] = [];
  const all = selection.kind === 'rows' ? selection.ids.size : selection.count - selection.except.size;
  const logos = new Map<string, Promise<QrLogo>>();
  const logoOf = (imageId: string): Promise<QrLogo> => {
    const known = logos.get(imageId) ?? readLogoOf(imageId, signal);
    logos.set(imageId, known);
    return known;
  };
  const archive = createArchive();
  const nameOf = createFileNames();
  let done = 0;
  let pausedAt = performance.now();
  onProgress({ done, all, failed });
  for await (const { id, read } of selectedLinks({ selection, filters, count, signal }, reads)) {
    try {
      const link = await read();
      const { options, imageId } = link.qrCode ?? { options: firstTemplate, imageId: null };
      const logo = imageId === null ? undefined : await logoOf(imageId);
      archive.add(nameOf(link), await draw({ url: link.originUrl, options, logo, size: drawnSide }));
    } catch (error) {
      if (signal.aborted) return undefined;
      failed.push({ id, reason: messageOf(error) });
    }
    done += 1;
    if (performance.now() - pausedAt > yieldAfterMs) {
      onProgress({ done, all, failed });
      await new Promise((next) => setTimeout(next));
      pausedAt = performance.now();
    }
    if (signal.aborted) return undefined;
  }
  return { zip: archive.end(), drawn: done - failed.length, failed };
}

/** The selected links, by the way that needs fewer calls: pages of the list, or one by one. */
async function* selectedLinks(
  { selection, filters, count, signal }: Omit<ZipRun, 'onProgress'>,
  { readPages, readLink: readOne }: Pick<ZipTools, 'readPages' | 'readLink'>,
): AsyncGenerator<{ id: string; read: () => Promise<LinkToDraw> }> {
  const known = (link: LinkToDraw) => ({ id: link.id, read: async () => link });
  if (selection.kind === 'all') {
    for await (const page of readPages(filters, signal))
      for (const link of page) if (!selection.except.has(link.id)) yield known(link);
    return;
  }
  const left = new Set(selection.ids);
  if (left.size > count / linksAPage) {
    for await (const page of readPages(filters, signal)) {
      for (const link of page) if (left.delete(link.id)) yield known(link);
      if (left.size === 0) return;
    }
  }
  // Links that were selected under other filters too.
  for (const id of left) yield { id, read: () => readOne(id, signal) };
}

/** An archive that keeps compressed bytes only. */
function createArchive(): { add: (name: string, text: string) => void; end: () => Blob } {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(new Uint8Array(part));
  });
  const encoder = new TextEncoder();
  return {
    add(name, text) {
      const file = new ZipDeflate(name, { level: 6 });
      zip.add(file);
      file.push(encoder.encode(text), true);
    },
    end() {
      zip.end();
      return new Blob(parts, { type: 'application/zip' });
    },
  };
}

// Names of devices, which Windows gives to no file.
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
// Bytes that file systems allow for a name, less the ending and a number.
const longestName = 200;

/** @returns a function that names the file of a link: `<domain>/<slug>.svg`, unlike all others without regard to case. */
export function createFileNames(): (link: Pick<LinkToDraw, 'slug' | 'originUrl'>) => string {
  const taken = new Set<string>();
  return ({ slug, originUrl }) => {
    const folder = new URL(originUrl).hostname;
    const base = `${devices.test(slug) ? '_' : ''}${cut(slug)}`;
    for (let number = 1; ; number += 1) {
      const name = `${folder}/${base}${number === 1 ? '' : `-${number}`}.svg`;
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
}

/** The beginning of a slug that fits into a file name. */
function cut(slug: string): string {
  const encoder = new TextEncoder();
  let text = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(slug)) {
    bytes += encoder.encode(segment).length;
    if (bytes > longestName) break;
    text += segment;
  }
  return text;
}
