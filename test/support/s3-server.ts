import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import type { S3Options } from '#adapters/storage/s3.ts';
import { loadConfig } from '#config/load.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';

/** The server that tests of the S3 storage use: github.com/versity/versitygw, over a folder. */
export const s3ServerVersion = '1.8.0';

/** Where `test/support/build-s3-server.ts` puts it, unless VERSITYGW names another. */
export function s3ServerPath(): string {
  const { WAYMARK_CACHE_DIR, VERSITYGW } = process.env;
  return (
    VERSITYGW ?? join(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR, `versitygw-${s3ServerVersion}`, 'versitygw')
  );
}

/** A server with an empty bucket; it checks signatures. */
export interface S3Server extends AsyncDisposable {
  options: Omit<S3Options, 'pathStyle'>;
  /** The content type that it keeps of an object. */
  typeOf(key: string): Promise<string | null>;
}

/** Starts the server on loopback; undefined where its binary is not there. */
export async function startS3Server(): Promise<S3Server | undefined> {
  const binary = s3ServerPath();
  if (!existsSync(binary)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'waymark-s3-'));
  await Promise.all(['data', 'meta'].map((name) => mkdir(join(folder, name))));
  const [port] = await freePorts(1);
  const options = {
    bucket: 'waymark-test',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'waymark',
    secretAccessKey: 'a secret of the tests',
  };
  const child = spawn(
    binary,
    [
      '--port',
      `127.0.0.1:${port}`,
      '--virtual-domain',
      `localhost:${port}`,
      '--quiet',
      'posix',
      '--sidecar',
      join(folder, 'meta'),
      join(folder, 'data'),
    ],
    {
      stdio: 'ignore',
      env: { ROOT_ACCESS_KEY: options.accessKeyId, ROOT_SECRET_KEY: options.secretAccessKey },
    },
  );
  const client = new AwsClient({ ...options, service: 's3', retries: 0 });
  const makeBucket = async (): Promise<number> => {
    const url = `${options.endpoint}/${options.bucket}`;
    return (await client.fetch(url, { method: 'PUT' }).catch(() => undefined))?.status ?? 0;
  };
  try {
    await eventually(makeBucket, (status) => status === 200);
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    options,
    async typeOf(key) {
      const { headers } = await client.fetch(`${options.endpoint}/${options.bucket}/${key}`, { method: 'HEAD' });
      return headers.get('content-type');
    },
    async [Symbol.asyncDispose]() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
