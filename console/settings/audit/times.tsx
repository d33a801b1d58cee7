import { Moment } from '#console/ui/page/moment.tsx';
import { useAuditWords } from './words.ts';

/** How often the thing of a line happened, and when it did last: the line stands where it happened first. */
export function Times({ count, lastAt }: { count: number; lastAt: string }) {
  const words = useAuditWords();
  return (
    <>
      {' · '}
      {words.times(count)}, {words.last} <Moment at={lastAt} as="ago" />
    </>
  );
}
