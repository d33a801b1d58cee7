import { createRequire } from 'node:module';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { waitForLock } from '#scripts/lib/lock.mjs';

/** Whether there is a browser for this machine; the one that npm brings is for Linux on x64. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';

const unpackDeadlineMs = 60_000;
/** By these the package tells that a part is unpacked already. */
const parts = ['chromium', 'fonts', 'libGLESv2.so'];

/** Starts a browser without a window that finds every name ending in `.example` on this machine. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await unpackBrowser(),
    // Not the package's own arguments: they switch off much of what the pages are to be held to.
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.example 127.0.0.1', '--no-proxy-server'],
    headless: true,
  });
}

/**
 * Unpacks the package's browser, which all runs on a machine share, under a lock: a file that another process still writes cannot be
 * started. A file whose writer was killed has no stamp, and is unpacked again.
 * @returns its path.
 */
async function unpackBrowser(): Promise<string> {
  const manifest = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../../package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const stamp = join(tmpdir(), `waymark-chromium-${version}`);
  const lock = await waitForLock(`${stamp}.lock`, { deadlineMs: unpackDeadlineMs });
  if (lock.holder !== undefined) throw new Error(`Process ${lock.holder} does not finish unpacking the browser.`);
  try {
    if (!existsSync(stamp)) for (const part of parts) rmSync(join(tmpdir(), part), { recursive: true, force: true });
    const path = await chromium.executablePath();
    writeFileSync(stamp, '');
    return path;
  } finally {
    lock.release();
  }
}
