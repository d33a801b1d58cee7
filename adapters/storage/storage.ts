import { join } from 'node:path';
import type { Storage } from '#core/files/storage.ts';
import { createFolderStorage } from './folder.ts';
import { createS3Storage } from './s3.ts';

interface StorageConfig {
  WAYMARK_DATA_DIR: string;
  S3_BUCKET?: string | undefined;
  S3_ENDPOINT?: string | undefined;
  S3_REGION: string;
  S3_ACCESS_KEY_ID?: string | undefined;
  S3_SECRET_ACCESS_KEY?: string | undefined;
  S3_FORCE_PATH_STYLE?: boolean | undefined;
}

/** A bucket where S3_BUCKET is set, otherwise the folder `files` of the data folder. */
export function createStorage(config: StorageConfig): Storage {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return createFolderStorage(join(config.WAYMARK_DATA_DIR, 'files'));
  }
  return createS3Storage({
    bucket,
    accessKeyId,
    secretAccessKey,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION}.amazonaws.com`,
    // Self-hosted S3 servers seldom have a host name for each bucket.
    pathStyle: config.S3_FORCE_PATH_STYLE ?? config.S3_ENDPOINT !== undefined,
  });
}
