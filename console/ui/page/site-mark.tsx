import type { CSSProperties } from 'react';
import css from './site-mark.module.css';

/** The first letter of a site, in a colour of its own: links to one site are found by it. */
export function SiteMark({ host }: { host: string }) {
  const name = host.replace(/^www\./, '');
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 360, 7);
  return (
    <span className={css.mark} style={{ '--hue': hue } as CSSProperties} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
