import { spawnSync } from 'node:child_process';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { type Config, ConfigError } from '#config/load.ts';
import { root } from '#scripts/lib/paths.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * The version of this installation's workers, by release and commit; undefined: they have none (docs/rollouts.md).
 * @throws ConfigError where they are to have one and the commit is not known.
 */
export function workerVersionOf(
  { WORKER_VERSIONING: isVersioned, BUILD_COMMIT: commit, TEMPORAL_TASK_QUEUE: taskQueue }: Config,
  readCommit = readCommitOfCheckout,
): WorkerDeploymentVersion | undefined {
  if (!isVersioned) return undefined;
  const known = commit?.slice(0, 12) ?? readCommit();
  if (known === undefined)
    throw new ConfigError(['BUILD_COMMIT is required with WORKER_VERSIONING where git knows no commit']);
  return { deploymentName: taskQueue, buildId: `${manifest.version}-${known}` };
}

/** With `-dirty` where files differ from it. */
function readCommitOfCheckout(): string | undefined {
  // A service mostly runs as another user than the one who owns the checkout.
  const args = ['-c', `safe.directory=${root}`, 'describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'];
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : undefined;
}
