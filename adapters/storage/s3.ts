import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { type Storage, StorageError } from '#core/files/storage.ts';

export interface S3Options {
  bucket: string;
  /** http or https, without the bucket. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether the bucket is in the path instead of the host name. */
  pathStyle: boolean;
}

// aws4fetch waits 50 ms before the first retry, and doubles the wait each time.
const retries = 2;
const timeoutMs = 10_000;

/** Stores objects in an S3 bucket, by signed (SigV4) PUT, GET and DELETE. */
export function createS3Storage({
  bucket,
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  pathStyle,
}: S3Options): Storage {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries });
  const base = new URL(endpoint);
  if (!pathStyle) base.hostname = `${bucket}.${base.hostname}`;
  const prefix = `${base.href.replace(/\/+$/, '')}${pathStyle ? `/${bucket}` : ''}`;

  async function request(
    method: string,
    key: string,
    { body, headers = {}, fine }: { body?: Uint8Array; headers?: Record<string, string>; fine: readonly number[] },
  ): Promise<{ status: number; bytes: Buffer }> {
    try {
      const response = await client.fetch(`${prefix}/${key}`, {
        method,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? new Uint8Array()) },
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (fine.includes(response.status)) return { status: response.status, bytes };
      throw new Error(`The storage answered ${method} with ${response.status}${codeOf(bytes)}.`);
    } catch (error) {
      throw new StorageError(error);
    }
  }

  return {
    async put(key, bytes, mime) {
      await request('PUT', key, { body: bytes, headers: { 'content-type': mime }, fine: [200] });
    },
    async get(key) {
      const { status, bytes } = await request('GET', key, { fine: [200, 404] });
      if (status === 200) return bytes;
      // A missing bucket is an error, not a missing object.
      if (codeOf(bytes).includes('NoSuchBucket')) throw new StorageError(new Error('The bucket does not exist.'));
      return undefined;
    },
    async remove(key) {
      await request('DELETE', key, { fine: [200, 204, 404] });
    },
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The error code of an answer, for the log: ` (AccessDenied)`. */
function codeOf(bytes: Buffer): string {
  const [, code] = /<Code>(\w{1,60})<\/Code>/.exec(bytes.toString('utf8', 0, 2_000)) ?? [];
  return code === undefined ? '' : ` (${code})`;
}
