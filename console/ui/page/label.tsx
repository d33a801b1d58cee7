import type { CSSProperties, ReactNode } from 'react';
import css from './label.module.css';

/** A tag, or a folder, in its own colour. Its word keeps the colour of texts, so that it is read on any. */
export function Label({ color, kind, children }: { color: string; kind: 'tag' | 'folder'; children: ReactNode }) {
  return (
    <span
      className={[css.label, kind === 'folder' ? css.folder : ''].join(' ')}
      style={{ '--label': color } as CSSProperties}
    >
      <span>{children}</span>
    </span>
  );
}
