import { z } from 'zod';
import { UploadedFile } from './multipart.ts';

/** A multipart part that must be one file of 1 to `maxBytes` bytes. */
export function uploadedFileSchema(maxBytes: number, description: string) {
  return z
    .custom<UploadedFile>((value) => value instanceof UploadedFile, {
      error: ({ input }) => {
        if (input === undefined) return 'is required';
        return Array.isArray(input) ? 'must be sent once' : 'must be sent as a file of multipart/form-data';
      },
    })
    .refine(({ isTooLarge }) => !isTooLarge, `must have at most ${maxBytes} bytes`)
    .refine(({ bytes }) => bytes.length > 0, 'must not be empty')
    .meta({ type: 'string', format: 'binary', description });
}
