import sharp from 'sharp';
import { drawQrSvg, type LogoTools, type QrDrawing } from '#core/links/qr/draw.ts';

export type QrCodes = ReturnType<typeof createQrCodes>;

/** Both throw QrTooLongError. */
export function createQrCodes() {
  return {
    drawSvg: (drawing: QrDrawing): Promise<string> => drawQrSvg(drawing, logoTools),
    async drawPng(drawing: QrDrawing): Promise<Buffer> {
      const svg = await drawQrSvg(drawing, logoTools);
      return sharp(Buffer.from(svg)).png({ compressionLevel: 9 }).toBuffer();
    },
  };
}

const logoTools: LogoTools = {
  async measure({ bytes }) {
    const { width, height } = await sharp(bytes).metadata();
    return { width, height };
  },
  toBase64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
};
