import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import type { Answer, TestApi } from './api.ts';

/** A part of a multipart body: a file where it has a file name, else a field. */
export interface Part {
  name?: string;
  filename?: string | null;
  type?: string;
  content: Buffer | string;
}

/** Writes a multipart body; each has a boundary of its own, as clients have. */
export function writeMultipart(parts: readonly Part[]): { payload: Buffer; headers: Record<string, string> } {
  const boundary = `----${randomBytes(12).toString('hex')}`;
  const chunks = parts.flatMap(
    ({ name = 'file', filename = 'picture.png', type = 'application/octet-stream', content }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${
          filename === null ? '' : `; filename="${filename}"\r\nContent-Type: ${type}`
        }\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ],
  );
  return {
    payload: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

/** Uploads to `/files/<kind>-image` with the organization's key. */
export function upload(
  api: TestApi,
  kind: 'meta-tag' | 'qr-code',
  parts: readonly Part[],
  { headers, ...options }: InjectOptions = {},
): Promise<Answer> {
  const body = writeMultipart(parts);
  return api.call('POST', `/files/${kind}-image`, undefined, {
    ...options,
    payload: body.payload,
    headers: { ...body.headers, ...headers },
  });
}
