import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConsoleFresh } from '#scripts/build/console.ts';
import { isSiteFresh } from '#scripts/build/site.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';

// The first look at the product is not slowed by pages that few open at once.
const siteDelayMs = 60_000;

/**
 * Builds the console, and a minute later the documentation, beside the running product, at the lowest priority, where the built one is
 * missing or old. Until then its address answers 503 with a page that looks again. A failure is printed and ends nothing.
 * @param stopped resolves when the product stops, which ends the build too.
 * @returns when nothing is being built any more.
 */
export async function buildPagesInChild(stopped: Promise<unknown>): Promise<void> {
  let isStopped = false;
  const end = stopped.then(
    () => void (isStopped = true),
    () => void (isStopped = true),
  );
  if (!isConsoleFresh()) await buildInChild('build/console.ts', end);
  if (isSiteFresh()) return;
  await Promise.race([end, sleep(siteDelayMs, undefined, { ref: false })]);
  if (!isStopped) await buildInChild('build/site.ts', end);
}

/** Resolves when the build has ended, whether or not it succeeded. */
async function buildInChild(script: string, stopped: Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [...typeFlags(), join(root, 'scripts', script), '--idle'], {
    // Over the channel it learns that this process is gone.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  void stopped.then(() => child.kill());
  await new Promise<void>((resolve) => {
    child.once('error', (error) => {
      console.error(`${script} could not be run: ${error.message}`);
      resolve();
    });
    child.once('exit', () => resolve());
  });
}
