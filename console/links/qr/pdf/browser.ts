import type { Pixels } from './pdf.ts';

// Enough for a logo of 40 mm at 600 dots an inch.
const logoSide = 1_000;

/** The root of an SVG. */
export function readSvg(text: string): Element {
  return new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
}

/** Paints the picture of a data URL, as large as print needs it. */
export async function rasterize(href: string, width: number, height: number): Promise<Pixels> {
  const image = new Image();
  image.src = href;
  await image.decode();
  const scale = logoSide / Math.max(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d')!;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
