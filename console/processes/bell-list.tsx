import { Link } from '@tanstack/react-router';
import type { Running } from '#console/api/processes.ts';
import { NowList } from './lists.tsx';
import { useProcessWords } from './words.ts';

/** The content of the bell. @param onLeave is called where a link leads to another page. */
export default function BellList({ running, onLeave }: { running: readonly Running[]; onLeave: () => void }) {
  const words = useProcessWords();
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- a click, also that of Enter on a link inside, closes the list
    <div onClick={(event) => event.target instanceof HTMLAnchorElement && onLeave()}>
      <h2>{words.running}</h2>
      <NowList running={running} />
      <p>
        <Link to="/activity">{words.all}</Link>
      </p>
    </div>
  );
}
