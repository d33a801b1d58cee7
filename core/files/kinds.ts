/** Formats of images. The first bytes tell the format, never a name or a header. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'svg';

/** Names of a format in keys and in answers. */
export const imageFormats: Record<ImageFormat, { ext: string; mime: string; label: string }> = {
  png: { ext: 'png', mime: 'image/png', label: 'PNG' },
  jpeg: { ext: 'jpg', mime: 'image/jpeg', label: 'JPG' },
  webp: { ext: 'webp', mime: 'image/webp', label: 'WebP' },
  svg: { ext: 'svg', mime: 'image/svg+xml', label: 'SVG' },
};

export type FileKind = 'meta-tag' | 'qr-code';

/** Limits of uploads for each purpose. */
export const fileKinds: Record<FileKind, { maxBytes: number; formats: readonly ImageFormat[] }> = {
  'meta-tag': { maxBytes: 1_048_576, formats: ['png', 'jpeg', 'webp'] },
  'qr-code': { maxBytes: 512_000, formats: ['png', 'jpeg', 'svg'] },
};

/** An image that is safe to store: encoded anew, or sanitised. */
export interface CleanImage {
  bytes: Buffer;
  format: ImageFormat;
  /** In pixels; undefined of SVG images, which have any size. */
  size?: { width: number; height: number } | undefined;
}

/** An upload is refused; the message completes "file: …". */
export class ImageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImageError';
  }
}
