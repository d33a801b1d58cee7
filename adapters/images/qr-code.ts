import sharp from 'sharp';
import { createConcurrencyLimit } from '#core/limits/concurrency-limit.ts';
import { drawQrSvg, type LogoTools, type QrDrawing } from '#core/links/qr/draw.ts';

/** Draws QR codes. */
export interface QrCodes {
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawSvg(drawing: QrDrawing): Promise<string>;
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawPng(drawing: QrDrawing): Promise<Buffer>;
}

const slots = 2;
const waiting = 50;

export function createQrCodes(): QrCodes {
  const gate = createConcurrencyLimit({ slots, waiting });
  return {
    drawSvg: (drawing) => gate.run(() => drawQrSvg(drawing, logoTools)),
    drawPng: (drawing) =>
      gate.run(async () => {
        const svg = await drawQrSvg(drawing, logoTools);
        return sharp(Buffer.from(svg)).png({ compressionLevel: 9 }).toBuffer();
      }),
  };
}

const logoTools: LogoTools = {
  async measure({ bytes }) {
    const { width, height } = await sharp(bytes).metadata();
    return { width, height };
  },
  toBase64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
};
