import { activitySubjects, type ActivitySubject } from '#core/audit/activity.ts';
import { type Parameters, wordParameter } from '#console/app/places/search.ts';

/** Kinds of subjects whose changes are listed. */
export const activityKinds = Object.keys(activitySubjects) as ActivitySubject[];

export interface ActivitySearch {
  about?: ActivitySubject;
}

export const activityParameters: Parameters<ActivitySearch> = { about: wordParameter(activityKinds) };
