import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { linkQuery } from '#console/api/links/links.ts';
import { useTitle } from '#console/app/places/title.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { isMissing } from '#console/api/error.ts';
import { LinkGone } from '#console/links/gone.tsx';
import { Failed, Skeleton } from '#console/ui/page/states.tsx';
import Story from './story.tsx';
import { useProcessWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

/** /links/<id>/history */
export default function LinkHistoryPage() {
  const words = useProcessWords();
  const { id } = useParams({ from: '/frame/links/$id/history' });
  const { data, error, refetch } = useQuery(linkQuery(id));
  const name = data === undefined ? undefined : shownShortUrl(data.data.originUrl);
  useTitle(name === undefined ? words.story : `${words.story} · ${name}`);
  if (isMissing(error)) return <LinkGone />;
  if (error !== null && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/links/$id" params={{ id }}>
          {words.back}
        </Link>
      </p>
      {name === undefined ? <Skeleton height={2.5} /> : <h1>{name}</h1>}
      <Story subject={id} />
    </article>
  );
}
