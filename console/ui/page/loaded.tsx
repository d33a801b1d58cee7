import { Link, type LinkProps } from '@tanstack/react-router';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import type { ReactNode } from 'react';
import { ApiError, isMissing } from '#console/api/error.ts';
import { buttonClass } from '#console/ui/button.tsx';
import type { IconName } from '#console/ui/icon.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/page/states.tsx';

/** What is asked of the API. */
export interface Query<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => Promise<unknown>;
}

interface LoadedProps<Data> {
  query: Query<Data>;
  /** Size of the place until the answer is there. */
  rows?: number;
  height?: number;
  /** Stands where the thing does not exist, or not for this person. */
  gone?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows an answer of the API once it is there; before that its place, or why it could not be read. */
export function Loaded<Data>({ query: { data, error, refetch }, rows, height, gone, children }: LoadedProps<Data>) {
  // It was deleted after it was read, here or elsewhere.
  if (gone !== undefined && isMissing(error)) return gone;
  if (data !== undefined) return children(data);
  if (error === null) return <Skeleton rows={rows ?? 1} height={height ?? 2.5} />;
  if (gone !== undefined && error instanceof ApiError && [400, 403].includes(error.status)) return gone;
  return <Failed error={error} onRetry={() => void refetch()} />;
}

/** The page of a thing that does not exist, with the way to its list. */
export function Gone({ icon, title, to, back }: { icon: IconName; title: string; to: LinkProps['to']; back: string }) {
  return (
    <Empty
      icon={icon}
      isPage
      title={title}
      action={
        <Link to={to} search={lastSearch(String(to)) as LinkProps['search']} className={buttonClass('primary')}>
          {back}
        </Link>
      }
    />
  );
}
