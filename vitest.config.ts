import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestWaitMs } from './test/support/eventually.ts';

// Whole products that are started and killed take longest: begun last, one of them would run alone at the end.
const slow = /\/test\/(drills\/|start|worker|workflows\/|edge\/(changes|hostile|metrics|shipper))/;
// Each group one after the other: its files share a product, which then ends.
const sharing = [/\/test\/console\/flows\//, /\/test\/drills\/races\//];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer
    const sorted = await super.sort(files);
    const groups = [...sharing, slow, /(?:)/];
    const groupOf = ({ moduleId }: TestSpecification): number => groups.findIndex((group) => group.test(moduleId));
    return groups.flatMap((_, index) => sorted.filter((file) => groupOf(file) === index));
  }
}

export default defineConfig({
  // Files of the console have a package.json of their own, which knows nothing of the rooms.
  resolve: {
    alias: [
      // What the command line depends on is built for its package alone.
      { find: /^@waymark\/sdk$/, replacement: `${import.meta.dirname}/sdk/typescript/src/index.ts` },
      { find: /^#core\//, replacement: `${import.meta.dirname}/core/` },
      { find: /^#console\//, replacement: `${import.meta.dirname}/console/` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/process-guard.ts', 'test/console/refusal-words.ts'],
    tags: [
      { name: 'process', description: 'Starts processes: of the product, a server, a browser, a shell.' },
      {
        name: 'slow',
        description: 'Takes more than 0.6 s on a quiet machine of 2 cores, or is in a file that takes more than 3 s.',
      },
      {
        name: 'nightly',
        description: 'Repeats at length what other tests show in short: `.ci/nightly` alone runs it.',
      },
    ],
    pool: 'forks',
    // Files share loaded modules with files that ran before in the same process: most of a short file's time is its imports. So
    // no file may leave anything changed behind.
    isolate: false,
    // More than the cores of a small machine: files wait a good deal for what they have killed to come back.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // Ends what hangs, and nothing that a busy machine makes slow: beside other work a test takes twenty times as long.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: longestWaitMs } },
  },
});
