import { readFileBytes } from '#console/api/links/files.ts';
import { drawQrSvg, type LogoTools, type QrLogo } from '#core/links/qr/draw.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import { firstTemplate } from '#core/links/qr/template.ts';

// Draws as the API draws: by the same code, with the browser's ways to measure and encode a logo.

/** A style of a QR code as links have it. */
export interface QrStyle {
  options: QrOptions;
  imageId: string | null;
}

/** The style of a link that has none of its own. */
export const plainStyle: QrStyle = { options: firstTemplate, imageId: null };

interface QrPicture {
  /** The short URL, without the mark of scans. */
  url: string;
  options: QrOptions;
  logo: QrLogo | undefined;
  /** Side in pixels. */
  size: number;
}

/** Side of a code as SVG, in pixels. */
export const drawnSide = 600;

const tools: LogoTools = {
  async measure({ bytes, mime }) {
    const image = await loadImage(new Blob([new Uint8Array(bytes)], { type: mime }));
    return { width: image.naturalWidth, height: image.naturalHeight };
  },
  toBase64: async (bytes) => {
    const url = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener('load', () => resolve(reader.result as string));
      reader.addEventListener('error', () => reject(reader.error));
      reader.readAsDataURL(new Blob([new Uint8Array(bytes)]));
    });
    return url.slice(url.indexOf(',') + 1);
  },
};

/** @returns the text of an SVG image. The code holds the short URL with `qr=1`, by which statistics tell scans from clicks. */
export function drawPicture({ url, ...rest }: QrPicture): Promise<string> {
  return drawQrSvg({ data: `${url}?qr=1`, ...rest }, tools);
}

/** The bytes of a logo by the address of its file. */
export async function readLogo(file: { url: string; mime: string }): Promise<QrLogo> {
  const image = await readFileBytes(file.url);
  return { bytes: new Uint8Array(await image.arrayBuffer()), mime: file.mime };
}

/** Draws an SVG into a canvas of a side, on a ground; blurred by some pixels. */
export async function paint(
  svg: string,
  side: number,
  { ground = '#ffffff', blur = 0, quiet = 0 } = {},
): Promise<HTMLCanvasElement> {
  const image = await loadImage(new Blob([svg], { type: 'image/svg+xml' }));
  const canvas = document.createElement('canvas');
  canvas.width = side + 2 * quiet;
  canvas.height = side + 2 * quiet;
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (blur > 0) context.filter = `blur(${blur}px)`;
  context.drawImage(image, quiet, quiet, side, side);
  return canvas;
}

/** The picture as PNG. @param svg drawn at that side. */
export async function toPng(svg: string, side: number): Promise<Blob> {
  const canvas = await paint(svg, side);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob === null) throw new Error('The browser made no picture.');
  return blob;
}

async function loadImage(blob: Blob): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}
