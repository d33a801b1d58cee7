import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { s3ServerPath, s3ServerVersion } from './s3-server.ts';

/** Builds the S3 server of the tests with Go where its binary is missing; takes a few minutes, once a machine. */

const path = s3ServerPath();
if (!existsSync(path)) {
  const parent = dirname(path);
  mkdirSync(parent, { recursive: true });
  const draft = mkdtempSync(join(parent, 'build-'));
  try {
    const module = `github.com/versity/versitygw/cmd/versitygw@v${s3ServerVersion}`;
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '-buildvcs=false' };
    execFileSync('go', ['install', '-trimpath', '-ldflags', '-s -w', module], { env, stdio: 'inherit' });
    renameSync(join(draft, 'versitygw'), path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
