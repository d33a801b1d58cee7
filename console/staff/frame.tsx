import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/title.ts';
import settings from '#console/settings/settings.module.css';
import { Empty } from '#console/ui/states.tsx';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

const pages = [
  { to: '/staff', name: 'health' },
  { to: '/staff/organizations', name: 'organizations' },
  { to: '/staff/people', name: 'people' },
  { to: '/staff/links', name: 'links' },
  { to: '/staff/files', name: 'files' },
  { to: '/staff/domains', name: 'domains' },
  { to: '/staff/webhooks', name: 'webhooks' },
  { to: '/staff/processes', name: 'processes' },
  { to: '/staff/reports', name: 'reports' },
  { to: '/staff/audit', name: 'audit' },
] as const;

/** A page of the staff. */
export type StaffPage = (typeof pages)[number]['name'];

/** What all pages of the staff have in common: a coloured frame, so that the data of others is not taken for one's own, and the way to the others. */
export function StaffFrame({ page, children }: { page: StaffPage; children: ReactNode }) {
  const words = useStaffWords();
  const { user } = useSession();
  useTitle(`${words.pages[page]} · ${words.title}`);
  if (!user.isStaff) return <Empty icon="lock" title={words.forStaff} />;
  return (
    <article className={css.frame}>
      <p className={css.mark}>{words.mark}</p>
      <h1>{words.title}</h1>
      <nav className={settings.tabs} aria-label={words.title}>
        {pages.map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/staff', includeSearch: false }}>
            {words.pages[name]}
          </Link>
        ))}
      </nav>
      {children}
    </article>
  );
}
