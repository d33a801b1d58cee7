import type { ReactNode } from 'react';
import { useSettingsWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { PageTabs } from '#console/ui/page/tabs.tsx';
import { useTitle } from '#console/app/places/title.ts';

const pages = ['organization', 'people', 'keys', 'calls', 'audit', 'you', 'security', 'devices', 'apps'] as const;

/** What all pages of settings have in common: the title and the way to the others. */
export function SettingsFrame({ page, children }: { page: (typeof pages)[number]; children: ReactNode }) {
  const words = useSettingsWords();
  useTitle(`${words[page]} · ${words.title}`);
  return (
    <article className={[layout.page, layout.narrow].join(' ')}>
      <h1>{words.title}</h1>
      <PageTabs
        label={words.title}
        pages={pages.map((name) => ({ to: `/settings/${name}` as const, label: words[name] }))}
      />
      {children}
    </article>
  );
}
