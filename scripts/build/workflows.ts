import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles } from '#scripts/lib/built-folder.ts';
import { root } from '#scripts/lib/paths.ts';

const target = join(root, 'dist', 'workflows.cjs');
const stamp = join(root, 'dist', 'workflows.hash');
// Rooms that workflows may import, and files that decide how they are bundled.
const inputs = ['workflows', 'core', 'package-lock.json', 'scripts/build/workflows.ts'];

/** Path of the bundle that `worker.ts` loads. */
export const workflowBundlePath = target;

/** Whether the bundle exists and matches the sources. */
export function isBundleFresh(): boolean {
  return existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashFiles(inputs);
}

/**
 * Bundles the workflows into `dist/workflows.cjs` unless the bundle is fresh. Two processes may do so at once.
 * @returns whether it bundled.
 */
export async function bundleWorkflows(): Promise<boolean> {
  if (isBundleFresh()) return false;
  const hash = hashFiles(inputs);
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(join(root, 'dist'), { recursive: true });
  replace(target, toAscii(code));
  // Written last, so that an interrupted run leaves a stamp that does not match.
  replace(stamp, hash);
  return true;
}

/**
 * Escapes what is not ASCII. The worker and its thread of workflows keep the text; one such character makes V8 keep two bytes for
 * each of its 2,000,000.
 */
function toAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function replace(path: string, content: string): void {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

if (import.meta.main) {
  const startedAt = performance.now();
  const done = await bundleWorkflows();
  const elapsed = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(done ? `workflows bundled (${elapsed} s)` : 'workflows: the bundle is up to date');
}
