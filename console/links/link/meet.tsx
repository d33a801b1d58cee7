import { lazy, Suspense, useMemo } from 'react';
import type { ShortLink } from '#console/api/types.ts';
import { draftOf } from '#console/links/editor/draft.ts';
import { factsOf } from '#console/links/editor/preview/facts.ts';
import { Skeleton } from '#console/ui/page/states.tsx';
import layout from '#console/ui/page/layout.module.css';

const Preview = lazy(() => import('#console/links/editor/preview/preview.tsx'));

/** What each of some visitors gets from a link as it is saved, decided by the edge's own code. */
export function Meet({ link }: { link: ShortLink }) {
  const draft = useMemo(() => draftOf(link), [link]);
  const facts = useMemo(() => factsOf(link), [link]);
  return (
    <div className={layout.panel}>
      <Suspense fallback={<Skeleton height={23} />}>
        <Preview draft={draft} domain={new URL(link.originUrl).host} saved={facts} />
      </Suspense>
    </div>
  );
}
