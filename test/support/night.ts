import { TestRunner } from 'vitest';

/** Whether tests with the tag `nightly` run too, as by `.ci/nightly`: what is repeated is repeated more often then. */
export const isNight = TestRunner.matchesTags(['process', 'nightly']);

/** All cases by night, and by day the first ones. */
export const byDay = <T>(cases: readonly T[], most: number): readonly T[] => (isNight ? cases : cases.slice(0, most));
