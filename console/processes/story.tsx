import { useQuery } from '@tanstack/react-query';
import { processesQuery } from '#console/api/processes.ts';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { NextList, NowList } from './lists.tsx';
import { Past } from './past.tsx';
import { useProcessWords } from './words.ts';
import css from './processes.module.css';

/** What happened to a subject, what runs for it, and what comes next. */
export default function Story({ subject }: { subject: string }) {
  const words = useProcessWords();
  return (
    <section className={css.columns} aria-label={words.story}>
      <div className={css.panel}>
        <h2>{words.past}</h2>
        <Past filter={{ subject }} isOfOne />
      </div>
      <NowNext subject={subject} />
    </section>
  );
}

/** What runs for a subject, and what comes next. */
export function NowNext({ subject }: { subject: string }) {
  const words = useProcessWords();
  const { data, error, refetch } = useQuery(processesQuery(subject));
  return (
    <div className={css.panel}>
      {data === undefined && error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      <h2>{words.now}</h2>
      {data === undefined ? <Skeleton rows={2} /> : <NowList running={data.now} isOfOne />}
      <h2>{words.next}</h2>
      {data === undefined ? <Skeleton rows={1} /> : <NextList coming={data.next} isOfOne />}
    </div>
  );
}
