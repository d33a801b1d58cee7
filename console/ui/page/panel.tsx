import type { ReactNode } from 'react';
import layout from './layout.module.css';

interface PanelProps {
  /** Read aloud as the name of the part. */
  title: string;
  /** Default: the title; null: none. */
  heading?: string | null;
  /** Stand in the line of the heading, at its end. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page, in a box with a heading. */
export function Panel({ title, heading = title, actions, children }: PanelProps) {
  return (
    <section className={layout.panel} aria-label={title}>
      {actions === undefined ? (
        heading !== null && <h2>{heading}</h2>
      ) : (
        <div className={layout.panelHead}>
          <h2>{heading}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
