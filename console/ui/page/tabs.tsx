import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import layout from './layout.module.css';

interface TabsProps<Id extends string | undefined> {
  label: string;
  tabs: readonly { id: Id; label: ReactNode }[];
  current: Id;
  onChange: (id: Id) => void;
}

/** Buttons of which one is pressed: which part is shown. */
export function Tabs<Id extends string | undefined>({ label, tabs, current, onChange }: TabsProps<Id>) {
  return (
    <div className={layout.tabs} role="group" aria-label={label}>
      {tabs.map(({ id, label: name }) => (
        <button
          key={id ?? ''}
          type="button"
          aria-pressed={id === current}
          className={layout.tab}
          onClick={() => onChange(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The way to the other pages of an area. */
export function PageTabs({
  label,
  pages,
}: {
  label: string;
  pages: readonly { to: LinkProps['to']; label: string }[];
}) {
  const nav = useRef<HTMLElement>(null);
  // On a narrow page they are one line that scrolls; a phone that is turned makes it one.
  useEffect(() => {
    const line = nav.current!;
    const observer = new ResizeObserver(() =>
      line.querySelector('[aria-current="page"]')?.scrollIntoView({ inline: 'center', block: 'nearest' }),
    );
    observer.observe(line);
    return () => observer.disconnect();
  }, []);
  return (
    <nav className={layout.pageTabs} aria-label={label} ref={nav}>
      {pages.map(({ to, label: name }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/staff', includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
