import { useInfiniteQuery } from '@tanstack/react-query';
import { type ActivityFilter, activityQuery } from '#console/api/processes.ts';
import { Button } from '#console/ui/button.tsx';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { PastList } from './lists.tsx';
import { useProcessWords } from './words.ts';

/** What was changed, page after page. @param isOfOne whether all are about the subject of the page. */
export function Past({ filter, isOfOne = false }: { filter: ActivityFilter; isOfOne?: boolean }) {
  const words = useProcessWords();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    activityQuery(filter),
  );
  if (data === undefined)
    return error === null ? <Skeleton rows={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  const activities = data.pages.flatMap((page) => page.data);
  if (activities.length === 0)
    return <p className="quiet">{filter.actions === undefined ? words.nothingPast : words.noneFound}</p>;
  return (
    <>
      <PastList activities={activities} isOfOne={isOfOne} />
      {hasNextPage && (
        <div>
          <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
    </>
  );
}
