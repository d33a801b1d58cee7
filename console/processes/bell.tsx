import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { isAwaited, processListQuery } from '#console/api/processes.ts';
import { useAppWords } from '#console/app/words.ts';
import { IconButton } from '#console/ui/button.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from './processes.module.css';

const BellList = late(async () => (await import('./bell-list.tsx')).default);

/** What runs now for the organization, on every page: imports, deletes, recoveries, and what is in trouble. */
export function Bell() {
  const words = useAppWords();
  const { data } = useQuery(processListQuery);
  const running = data?.running ?? [];
  const awaited = running.filter(isAwaited).length;
  return (
    <DialogTrigger>
      <span className={css.bell}>
        <IconButton icon="bell" label={words.bell(running.length)} />
        {awaited > 0 && (
          <span className={css.count} aria-hidden="true">
            {awaited}
          </span>
        )}
      </span>
      <Popover placement="bottom end" className={css.popover}>
        <Dialog className={css.dialog} aria-label={words.whatRuns}>
          {({ close }) => (
            <Suspense>
              <BellList running={running} onLeave={close} />
            </Suspense>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
