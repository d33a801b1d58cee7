import type { ReactNode } from 'react';
import layout from '#console/ui/page/layout.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Chip } from '#console/ui/page/states.tsx';

interface LogLineProps {
  /** Who did what. */
  children: ReactNode;
  /** Details, in a few words each. */
  facts: readonly string[];
  at: string;
  kind: string;
  /** Stands at the end of the line. */
  end?: ReactNode;
}

export function LogLine({ children, facts, at, kind, end }: LogLineProps) {
  return (
    <li>
      <span className={layout.about}>
        <span>{children}</span>
        {facts.length > 0 && <span className="quiet">{facts.join(' · ')}</span>}
      </span>
      <span className={layout.actions}>
        <Chip>{kind}</Chip>
        <Moment at={at} as="ago" className="quiet" />
        {end}
      </span>
    </li>
  );
}
