import { TestRunner } from 'vitest';

/** Whether tests with the tag `nightly` run too, as by `.ci/nightly`: what is repeated is repeated more often then. */
export const isNight = TestRunner.matchesTags(['process', 'nightly']);
