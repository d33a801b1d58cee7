import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { linkQuery } from '#console/api/links/links.ts';
import { useTitle } from '#console/app/places/title.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { LinkGone } from '#console/links/gone.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import Story from './story.tsx';
import { useProcessWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

/** /links/<id>/history */
export default function LinkHistoryPage() {
  const words = useProcessWords();
  const { id } = useParams({ from: '/frame/links/$id/history' });
  const query = useQuery(linkQuery(id));
  const name = query.data && shownShortUrl(query.data.data.originUrl);
  useTitle(name === undefined ? words.story : `${words.story} · ${name}`);
  return (
    <Loaded query={query} gone={<LinkGone />}>
      {() => (
        <article className={layout.page}>
          <p className={layout.back}>
            <Link to="/links/$id" params={{ id }}>
              {words.back}
            </Link>
          </p>
          <h1>{name}</h1>
          <Story subject={id} />
        </article>
      )}
    </Loaded>
  );
}
