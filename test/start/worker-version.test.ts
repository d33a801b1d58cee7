import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { waymarkVersion } from '#scripts/lib/paths.ts';
import { workerVersionOf } from '#start/worker-version.ts';

const BUILD_COMMIT = '1f2e3d4c5b6a79880123456789abcdef01234567';

test('a worker has no version unless it is to have one', () => {
  expect(workerVersionOf(loadConfig({ BUILD_COMMIT }))).toBeUndefined();
});

test('the version of a worker is its release and commit, in the deployment that is named as the task queue', () => {
  const config = loadConfig({ WORKER_VERSIONING: 'true', BUILD_COMMIT, TEMPORAL_TASK_QUEUE: 'links' });
  expect(workerVersionOf(config)).toEqual({ deploymentName: 'links', buildId: `${waymarkVersion()}-1f2e3d4c5b6a` });
});

test('in a checkout git knows the commit; without both the worker does not start', () => {
  const config = loadConfig({ WORKER_VERSIONING: 'true' });
  expect(workerVersionOf(config, () => '1f2e3d4c5b6a-dirty')?.buildId).toBe(`${waymarkVersion()}-1f2e3d4c5b6a-dirty`);
  expect(() => workerVersionOf(config, () => undefined)).toThrow('BUILD_COMMIT is required');
});
