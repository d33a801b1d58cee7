import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { siteIconQuery } from '#console/api/links/site-icon.ts';
import css from './site-mark.module.css';

interface SiteMarkProps {
  host: string;
  /** The address that leads to the site. */
  address: string;
}

/** The icon of a site; until it is there, and without one, its first letter in a colour of its own: links to one site are found by it. */
export function SiteMark({ host, address }: SiteMarkProps) {
  const url = URL.parse(address);
  const isSite = url !== null && /^https?:$/.test(url.protocol);
  const { data: icon } = useQuery({ ...siteIconQuery(isSite ? url.origin : ''), enabled: isSite });
  if (typeof icon === 'string') {
    return (
      <span className={`${css.mark} ${css.icon}`} aria-hidden="true">
        <img src={icon} alt="" width={18} height={18} />
      </span>
    );
  }
  const name = host.replace(/^www\./, '');
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 360, 7);
  return (
    <span className={css.mark} style={{ '--hue': hue } as CSSProperties} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
