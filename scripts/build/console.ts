import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { builtFolder } from '#scripts/lib/built-folder.ts';
import { installPackages, runIn } from '#scripts/lib/folder-packages.mjs';
import { workBesideParent } from '#scripts/lib/idle.ts';
import { root } from '#scripts/lib/paths.ts';

const source = join(root, 'console');
const vite = join(source, 'node_modules/vite/bin/vite.js');

const folder = builtFolder({
  name: 'console',
  inputs: ['console', 'core', 'scripts/build/console.ts', 'scripts/lib/built-folder.ts'],
  async build() {
    // vite.config.ts names the folder.
    await runIn('console', process.execPath, [vite, 'build', '--logLevel', 'warn']);
    // The API writes a nonce into each answer with the page.
    return { isSentAsItIs: (file) => !file.endsWith('.html') };
  },
});

/** Whether the built console exists and matches its sources. */
export const isConsoleFresh = (): boolean => folder.isFresh();

/**
 * Builds the console into `dist/console` unless that is fresh. Two processes may do so at once; readers of `dist/console` see
 * the old build or the new one.
 * @returns whether it built. @throws Error when packages cannot be installed or the build fails.
 */
export async function buildConsole(say: (line: string) => void): Promise<boolean> {
  if (folder.isFresh()) return false;
  await installPackages('console', say);
  return folder.build();
}

if (import.meta.main) {
  if (process.argv.includes('--idle')) workBesideParent();
  const say = (line: string): void => console.log(`console: ${line}`);
  const startedAt = performance.now();
  if (process.argv.includes('--packages')) await installPackages('console', say);
  else if (process.argv.includes('--watch')) {
    await installPackages('console', say);
    spawn(process.execPath, [vite, '--port', '5173'], { cwd: source, stdio: 'inherit' });
  } else {
    const done = await buildConsole(say);
    say(done ? `built (${((performance.now() - startedAt) / 1000).toFixed(1)} s)` : 'the build is up to date');
  }
}
