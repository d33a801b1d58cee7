import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Deletion, deletionQuery } from '#console/api/organization.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { useFormat } from '#console/i18n/format.ts';
import { createWords } from '#console/i18n/words.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { CardPage } from './page.tsx';
import { readToken } from './token.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';

const useWords = createWords({
  en: {
    title: 'The organization is deleted',
    gone: 'Its links, keys and sessions have ended. What it stored is being removed; this goes on without this page.',
    links: (removed: string, links: string) => `${removed} of ${links} links removed`,
    completed: 'Everything is removed.',
    unknown: 'This address tells of no deletion.',
    toSignIn: 'To the sign-in',
    goOn: (organization: string) => `Go on in ${organization}`,
  },
  de: {
    title: 'Die Organisation ist gelöscht',
    gone: 'Ihre Links, Schlüssel und Sitzungen sind beendet. Was sie gespeichert hat, wird entfernt; das geht auch ohne diese Seite weiter.',
    links: (removed: string, links: string) => `${removed} von ${links} Links entfernt`,
    completed: 'Alles ist entfernt.',
    unknown: 'Diese Adresse nennt keine Löschung.',
    toSignIn: 'Zur Anmeldung',
    goOn: (organization: string) => `Weiter in ${organization}`,
  },
});

/** /deleted#token=…: how far the deletion of an organization is, for its last owner, who may be signed out by it. */
export default function DeletedPage() {
  const words = useWords();
  const [token] = useState(() => readToken(location.hash) ?? '');
  const deletion = useQuery(deletionQuery(token));
  const { data: session } = useQuery(sessionQuery);
  return (
    <CardPage title={words.title}>
      {token === '' ? (
        <Notice tone="warn">{words.unknown}</Notice>
      ) : (
        <Loaded query={deletion} rows={2}>
          {(data) => <Progress deletion={data} />}
        </Loaded>
      )}
      {session === null || session === undefined ? (
        <Link to="/sign-in">{words.toSignIn}</Link>
      ) : (
        <Link to="/links">{words.goOn(session.organization.name)}</Link>
      )}
    </CardPage>
  );
}

function Progress({ deletion: { state, links, linksRemoved } }: { deletion: Deletion }) {
  const words = useWords();
  const format = useFormat();
  if (state === 'completed') {
    return (
      <div role="status">
        <Notice tone="good" icon="check">
          {words.completed}
        </Notice>
      </div>
    );
  }
  const text = words.links(format.number(linksRemoved ?? 0), format.number(links ?? 0));
  return (
    <>
      <p>{words.gone}</p>
      <p role="status">{text}</p>
      <progress value={linksRemoved ?? 0} max={Math.max(links ?? 0, 1)} aria-label={text} />
    </>
  );
}
