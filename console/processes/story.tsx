import { useQuery } from '@tanstack/react-query';
import { processesQuery } from '#console/api/processes.ts';
import { NextList, NowList } from './lists.tsx';
import { Past } from './past.tsx';
import { useProcessWords } from './words.ts';
import css from './processes.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';

/** What happened to a subject, what runs for it, and what comes next. */
export default function Story({ subject }: { subject: string }) {
  const words = useProcessWords();
  return (
    <section className={css.columns} aria-label={words.story}>
      <Panel title={words.past}>
        <Past filter={{ subject }} isOfOne />
      </Panel>
      <NowNext subject={subject} />
    </section>
  );
}

/** What runs for a subject, and what comes next. */
export function NowNext({ subject }: { subject: string }) {
  const words = useProcessWords();
  return (
    <Panel title={words.now}>
      <Loaded query={useQuery(processesQuery(subject))} rows={3}>
        {({ now, next }) => (
          <>
            <NowList running={now} isOfOne />
            <h2>{words.next}</h2>
            <NextList coming={next} isOfOne />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
