import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Whole products that are started and killed take longest: begun last, one of them would run alone at the end.
const slow =
  /\/test\/(drills\/|start|restore|worker|relay\/emptied|workflows\/(deletes|threat-rescan|webhook-stopped)|console\/flows\/(processes|imports|domains|webhooks))/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  // Files of the console have a package.json of their own, which knows nothing of the rooms.
  resolve: {
    alias: [
      { find: /^#core\//, replacement: `${import.meta.dirname}/core/` },
      { find: /^#console\//, replacement: `${import.meta.dirname}/console/` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/process-guard.ts'],
    tags: [
      { name: 'process', description: 'Starts processes: of the product, a server, a browser, a shell.' },
      {
        name: 'slow',
        description: 'Takes more than 2 s on a quiet machine of 2 cores, or is in a file that takes more than 6 s.',
      },
      { name: 'nightly', description: 'Repeats at length what other tests show in short: `.ci/run` alone runs it.' },
    ],
    pool: 'forks',
    // Files share loaded modules with files that ran before in the same process: most of a short file's time is its imports. So
    // no file may leave anything changed behind.
    isolate: false,
    // More than the cores of a small machine: files wait a good deal for what they have killed to come back.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // Ends what hangs, and nothing that a busy machine makes slow: beside other work a test takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
