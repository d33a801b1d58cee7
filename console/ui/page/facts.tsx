import type { ReactNode } from 'react';
import layout from './layout.module.css';

/** A fact with its name; a `wide` one has a line of its own. */
export type Fact = readonly [name: string, value: ReactNode, size?: 'wide'];

/** Facts about a thing, side by side. One whose value is null or undefined is left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={layout.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value, size]) => (
          <div key={name} className={size === 'wide' ? layout.wide : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
