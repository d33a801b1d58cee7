import { strToU8, Zip, ZipDeflate } from 'fflate';
import { messageOf } from '#console/api/error.ts';
import { readFile } from '#console/api/links/files.ts';
import type { LinkFilters } from '#console/api/links/links.ts';
import { refusalWords } from '#console/api/refusal.ts';
import type { ShortLink } from '#console/api/types.ts';
import { type BulkProgress, readSelected } from '#console/links/list/bulk/run.ts';
import { countSelected, type Selection } from '#console/links/list/selection.ts';
import type { QrLogo } from '#core/links/qr/draw.ts';
import { drawnSide, drawPicture, plainStyle, readLogo } from './draw.ts';

type LinkToDraw = Pick<ShortLink, 'id' | 'slug' | 'originUrl'> & {
  /** Null and undefined: the plain style. */
  qrCode?: ShortLink['qrCode'] | undefined;
};

interface ZipRun {
  selection: Selection;
  /** Filters of the list, for a selection of all. */
  filters: LinkFilters;
  onProgress: (progress: BulkProgress) => void;
  /** Stops after the code that is being drawn. */
  signal: AbortSignal;
}

interface ZippedCodes {
  zip: Blob;
  drawn: number;
  failed: BulkProgress['failed'];
}

/** What a ZIP needs of the API and the browser. */
interface ZipTools {
  readPages: (selection: Selection, filters: LinkFilters, signal: AbortSignal) => AsyncIterable<readonly LinkToDraw[]>;
  readLogo: (imageId: string, signal: AbortSignal) => Promise<QrLogo>;
  draw: typeof drawPicture;
}

// Below a frame of a slow screen, so that progress is drawn and Stop is heard.
const yieldAfterMs = 30;

const tools: ZipTools = {
  readPages: (selection, filters, signal) => readSelected(selection, filters, { withQrCodeTemplate: true }, signal),
  readLogo: async (id, signal) => readLogo(await readFile(id, signal)),
  draw: drawPicture,
};

/**
 * Draws the codes of the selected links as SVG and packs them into a ZIP, one folder a domain.
 * @returns undefined where it was stopped; else the archive, and links whose code could not be drawn, with reasons.
 */
export async function zipQrCodes(
  { selection, filters, onProgress, signal }: ZipRun,
  { draw, readLogo: readLogoOf, readPages }: ZipTools = tools,
): Promise<ZippedCodes | undefined> {
  const failed: { id: string; reason: string }[] = [];
  const all = countSelected(selection);
  const left = new Set(selection.kind === 'rows' ? selection.ids : []);
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
  for await (const page of readPages(selection, filters, signal)) {
    for (const link of page) {
      try {
        const { options, imageId } = link.qrCode ?? plainStyle;
        const logo = imageId === null ? undefined : await logoOf(imageId);
        archive.add(nameOf(link), await draw({ url: link.originUrl, options, logo, size: drawnSide }));
      } catch (error) {
        if (signal.aborted) return undefined;
        failed.push({ id: link.id, reason: messageOf(error) });
      }
      left.delete(link.id);
      done += 1;
      if (performance.now() - pausedAt > yieldAfterMs) {
        onProgress({ done, all, failed });
        await new Promise((next) => setTimeout(next));
        pausedAt = performance.now();
      }
      if (signal.aborted) return undefined;
    }
  }
  const drawn = done - failed.length;
  // Links that were deleted after they were selected.
  const gone = refusalWords('The requested resource does not exist.');
  return { zip: archive.end(), drawn, failed: [...failed, ...Array.from(left, (id) => ({ id, reason: gone }))] };
}

/** An archive that keeps compressed bytes only. */
function createArchive(): { add: (name: string, text: string) => void; end: () => Blob } {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(new Uint8Array(part));
  });
  return {
    add(name, text) {
      const file = new ZipDeflate(name, { level: 6 });
      zip.add(file);
      file.push(strToU8(text), true);
    },
    end() {
      zip.end();
      return new Blob(parts, { type: 'application/zip' });
    },
  };
}

// Names of devices, which Windows gives to no file.
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
// Characters of four bytes each at most: file systems allow names of 255 bytes, with the ending and a number.
const longestName = 60;

/** @returns a function that names the file of a link: `<domain>/<slug>.svg`, unlike all others without regard to case. */
export function createFileNames(): (link: Pick<LinkToDraw, 'slug' | 'originUrl'>) => string {
  const taken = new Set<string>();
  return ({ slug, originUrl }) => {
    const folder = new URL(originUrl).hostname;
    const base = `${devices.test(slug) ? '_' : ''}${Array.from(slug).slice(0, longestName).join('')}`;
    for (let number = 1; ; number += 1) {
      const name = `${folder}/${base}${number === 1 ? '' : `-${number}`}.svg`;
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
}
