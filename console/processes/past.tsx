import { useInfiniteQuery } from '@tanstack/react-query';
import { type ActivityFilter, activityQuery } from '#console/api/processes.ts';
import { PastList } from './lists.tsx';
import { useProcessWords } from './words.ts';
import { MoreList } from '#console/ui/list/more-list.tsx';

/** What was changed, page after page. @param isOfOne whether all are about the subject of the page. */
export function Past({ filter, isOfOne = false }: { filter: ActivityFilter; isOfOne?: boolean }) {
  const words = useProcessWords();
  return (
    <MoreList
      query={useInfiniteQuery(activityQuery(filter))}
      itemsOf={(page) => page.data}
      none={<p className="quiet">{filter.actions === undefined ? words.nothingPast : words.noneFound}</p>}
    >
      {(activities) => <PastList activities={activities} isOfOne={isOfOne} />}
    </MoreList>
  );
}
