import type { ReactNode } from 'react';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Empty } from '#console/ui/page/states.tsx';
import { PageTabs } from '#console/ui/page/tabs.tsx';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/places/title.ts';

const pages = [
  'health',
  'organizations',
  'people',
  'links',
  'files',
  'domains',
  'webhooks',
  'processes',
  'reports',
  'audit',
] as const;

/** A page of the staff. */
type StaffPage = (typeof pages)[number];

/** What all pages of the staff have in common: a coloured frame, so that the data of others is not taken for one's own, and the way to the others. */
export function StaffFrame({ page, children }: { page: StaffPage; children: ReactNode }) {
  const words = useStaffWords();
  const { user } = useSession();
  useTitle(`${words.pages[page]} · ${words.title}`);
  if (!user.isStaff) return <Empty icon="lock" isPage title={words.forStaff} />;
  return (
    <article className={[layout.page, css.frame].join(' ')}>
      <p className={css.mark}>{words.mark}</p>
      <h1>{words.title}</h1>
      <PageTabs
        label={words.title}
        pages={pages.map((name) => ({
          to: name === 'health' ? ('/staff' as const) : (`/staff/${name}` as const),
          label: words.pages[name],
        }))}
      />
      {children}
    </article>
  );
}
