import { useFieldName } from '#console/processes/field-names.ts';
import { useQuery } from '@tanstack/react-query';
import { type Activity, type ActivityFilter, marksQuery } from '#console/api/processes.ts';
import type { StatsReport } from '#console/api/links/stats.ts';
import { describeActivity } from '#console/processes/describe.ts';
import { PastList } from '#console/processes/lists.tsx';
import { useProcessWords } from '#console/processes/words.ts';
import type { StatsSearch } from './search.ts';
import { useStatsWords } from './words.ts';

/** What moves the clicks of all links. Single creates and changes are too many to be marks there. */
const ofAll = [
  'import.created',
  'import.undone',
  'domain.verified',
  'domain.lost',
  'domain.updated',
  'domain.deleted',
] as const;

/** What happened in the time of a report. Of one link: all its changes. */
export function useMarks({ startDate, endDate }: StatsReport, { link = [] }: StatsSearch): readonly Activity[] {
  const [only, ...others] = link;
  const which: ActivityFilter = only !== undefined && others.length === 0 ? { subject: only } : { actions: ofAll };
  const { data } = useQuery(marksQuery({ ...which, since: startDate, until: endDate }));
  return data?.data ?? [];
}

/** @returns sentences about what happened, by the index of the point of the timeline. */
export function useMarkSentences({ timeline }: StatsReport, marks: readonly Activity[]): Map<number, string[]> {
  const words = useProcessWords();
  const fieldName = useFieldName();
  const starts = timeline.map(({ startsAt }) => Date.parse(startsAt));
  const sentences = new Map<number, string[]>();
  for (const activity of marks) {
    const atMs = Date.parse(activity.at);
    const index = starts.findLastIndex((start) => start <= atMs);
    if (index === -1) continue;
    sentences.set(index, [...(sentences.get(index) ?? []), describeActivity(activity, words, fieldName)]);
  }
  return sentences;
}

export function MarksList({ marks }: { marks: readonly Activity[] }) {
  const words = useStatsWords();
  if (marks.length === 0) return null;
  return (
    <details>
      <summary>{words.marks(marks.length)}</summary>
      <PastList activities={marks} />
    </details>
  );
}
