import { activitySubjects, type ActivitySubject } from '#core/audit/activity.ts';
import { type SearchOf, wordParameter } from '#console/app/places/search.ts';

/** Kinds of subjects whose changes are listed. */
export const activityKinds = Object.keys(activitySubjects) as ActivitySubject[];

export const activityParameters = { about: wordParameter(activityKinds) };
export type ActivitySearch = SearchOf<typeof activityParameters>;
