import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import sharp from 'sharp';
import type { TestApi } from './api.ts';

/** Small pictures of the same content, 30 × 20 pixels. */
export interface Pictures {
  png: Buffer;
  jpeg: Buffer;
  webp: Buffer;
}

/** Draws the pictures that tests upload. */
export async function createPictures(): Promise<Pictures> {
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: '#336699' } });
  const [png, jpeg, webp] = await Promise.all([
    picture.png().toBuffer(),
    picture.jpeg().toBuffer(),
    picture.webp().toBuffer(),
  ]);
  return { png, jpeg, webp };
}

/** Asks for a file by its public address. */
export async function fetchPublic(
  { app }: TestApi,
  url: string,
  options: Omit<InjectOptions, 'url'> = {},
): Promise<LightMyRequestResponse> {
  return app.inject({ ...options, url: new URL(url).pathname });
}
