import sharp from 'sharp';
import { drawQrSvg, type LogoTools, type QrDrawing } from '#core/links/qr/draw.ts';

export interface QrCodes {
  /** @throws QrTooLongError. */
  drawSvg(drawing: QrDrawing): Promise<string>;
  /** @throws QrTooLongError. */
  drawPng(drawing: QrDrawing): Promise<Buffer>;
}

export function createQrCodes(): QrCodes {
  return {
    drawSvg: (drawing) => drawQrSvg(drawing, logoTools),
    async drawPng(drawing) {
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
