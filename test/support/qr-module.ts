import { drawQrSvg, type LogoTools, type QrDrawing } from '#core/links/qr/draw.ts';

// Runs in a browser: `test/core/links/qr/browser.test.ts` bundles it.

/** A drawing as it can be sent to a browser: the logo's bytes in base64, with its size. */
export interface SentDrawing extends Omit<QrDrawing, 'logo'> {
  logo?: { base64: string; mime: string; width: number; height: number } | undefined;
}

export async function drawSent({ logo, ...drawing }: SentDrawing): Promise<string> {
  if (logo === undefined) return drawQrSvg(drawing, noLogo);
  const { base64, mime, width, height } = logo;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const tools: LogoTools = {
    measure: async () => ({ width, height }),
    toBase64: (given) => btoa(String.fromCharCode(...given)),
  };
  return drawQrSvg({ ...drawing, logo: { bytes, mime } }, tools);
}

const noLogo: LogoTools = {
  async measure() {
    throw new Error('There is no logo.');
  },
  toBase64: () => '',
};
