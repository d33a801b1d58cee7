import sharp from 'sharp';
import { createLimit } from '#core/limits/limit.ts';
import { drawQrSvg, type LogoTools, type QrDrawing } from '#core/links/qr/draw.ts';

export interface QrCodes {
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawSvg(drawing: QrDrawing): Promise<string>;
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawPng(drawing: QrDrawing): Promise<Buffer>;
}

const atOnce = 2;
const waiting = 50;

export function createQrCodes(): QrCodes {
  const limit = createLimit({ atOnce, waiting });
  return {
    drawSvg: (drawing) => limit(() => drawQrSvg(drawing, logoTools)),
    drawPng: (drawing) =>
      limit(async () => {
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
