import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTitle } from '#console/app/title.ts';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

const pages = [
  { to: '/settings/organization', name: 'organization' },
  { to: '/settings/people', name: 'people' },
  { to: '/settings/keys', name: 'keys' },
  { to: '/settings/audit', name: 'audit' },
  { to: '/settings/you', name: 'you' },
  { to: '/settings/security', name: 'security' },
  { to: '/settings/devices', name: 'devices' },
] as const;

/** What all pages of settings have in common: the title and the way to the others. */
export function SettingsFrame({ page, children }: { page: (typeof pages)[number]['name']; children: ReactNode }) {
  const words = useSettingsWords();
  useTitle(`${words[page]} · ${words.title}`);
  return (
    <article className={css.page}>
      <h1>{words.title}</h1>
      <nav className={css.tabs} aria-label={words.title}>
        {pages.map(({ to, name }) => (
          <Link key={to} to={to}>
            {words[name]}
          </Link>
        ))}
      </nav>
      {children}
    </article>
  );
}
