import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isConsoleFresh } from '#scripts/build-console.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';

/**
 * Builds the console beside the running product, at the lowest priority, where the built one is missing or old. Until then its
 * address answers 503 with a page that looks again. A failure is printed and ends nothing.
 * @param stopped resolves when the product stops, which ends the build too.
 */
export function buildConsoleInChild(stopped: Promise<unknown>): void {
  if (isConsoleFresh()) return;
  const script = join(root, 'scripts/build-console.ts');
  const child = spawn(process.execPath, [...typeFlags(), script, '--idle'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.once('error', (error) => console.error(`console: it could not be built: ${error.message}`));
  const end = (): void => void child.kill();
  stopped.then(end, end);
}
