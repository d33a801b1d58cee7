import { Link } from '@tanstack/react-router';
import { buttonClass } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/states.tsx';
import type { ProcessesSearch } from '#console/staff/search.ts';
import { useStaffWords } from '#console/staff/words.ts';

/** The way to an organization; nothing on its own page. */
export function Owner({ id, isShown }: { id: string | null; isShown: boolean }) {
  const words = useStaffWords();
  if (!isShown) return null;
  if (id === null) return <Chip>{words.platform}</Chip>;
  return (
    <Link className={buttonClass('plain', 'small')} to="/staff/organizations/$id" params={{ id }}>
      {words.organization}
    </Link>
  );
}

/** The way to the processes of a link, a domain or a webhook. */
export function Processes({ search, name }: { search: ProcessesSearch; name: string }) {
  const words = useStaffWords();
  return (
    <Link
      className={buttonClass('normal', 'small')}
      to="/staff/processes"
      search={search}
      aria-label={words.processesOf(name)}
    >
      {words.pages.processes}
    </Link>
  );
}
