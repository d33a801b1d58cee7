import type { ReactNode } from 'react';
import { useFieldName } from '#console/processes/field-names.ts';
import layout from '#console/ui/page/layout.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Chip } from '#console/ui/page/states.tsx';

interface LogLineProps {
  /** Who did what. */
  children: ReactNode;
  details: Readonly<Record<string, unknown>>;
  at: string;
  kind: string;
  /** Stands at the end of the line. */
  end?: ReactNode;
}

/** A line of an audit log. */
export function LogLine({ children, details, at, kind, end }: LogLineProps) {
  const fieldName = useFieldName();
  const facts = Object.entries(details).flatMap(([name, value]) => factOf(name, fieldName(name), value));
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

/** A fact in a few words: texts and numbers as they are, lists of them, nothing deeper. The client of a sign-in is a keyed hash. */
function factOf(name: string, shown: string, value: unknown): string[] {
  if (name === 'client' || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${shown}: ${value.map(String).join(', ')}`];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  return [name === 'name' ? String(value) : `${shown}: ${value}`];
}
