import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ApiError, messageOf } from '#console/api/error.ts';
import { ownOrganizationsQuery, sessionQuery, signOut } from '#console/api/session.ts';
import { readNew } from '#console/links/new-link.tsx';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Messages } from '#console/ui/messages.tsx';
import { Empty, Notice } from '#console/ui/page/states.tsx';
import { AskOperator } from './ask-operator.tsx';
import { Shell } from './shell.tsx';
import { useOrganizationSwitch } from './use-organization-switch.ts';
import { late } from '#console/ui/page/late.tsx';
import { useAppWords } from './words.ts';

const NewLinkDialog = late(async () => (await import('#console/links/editor/new-link-dialog.tsx')).default, 'message');

/** The frame around the pages of a signed-in person, and the editor that opens over them. */
export function SignedInPages() {
  const { data: session } = useQuery(sessionQuery);
  const address = readNew(useSearch({ from: '/frame' }).new);
  if (session === null || session === undefined) return null;
  return (
    <Shell session={session}>
      <Suspense>{address !== undefined && <NewLinkDialog key={address} address={address} />}</Suspense>
    </Shell>
  );
}

/** An address that no page has. */
export function NotFoundPage() {
  const words = useAppWords().notFound;
  return (
    <Empty
      icon="route"
      isPage
      title={words.title}
      action={
        <Link to="/links" className={buttonClass('primary')}>
          {words.back}
        </Link>
      }
    >
      {words.text}
    </Empty>
  );
}

/** The place of all pages where the session cannot be read: its organization is suspended, or the API failed. */
export function FrameFailed({ error }: { error: unknown }) {
  return error instanceof ApiError && error.status === 403 ? <SuspendedPage /> : <BrokenPage error={error} />;
}

/** Says that the organization is suspended, and offers the others. */
function SuspendedPage() {
  const { suspended: words, signOut: signOutLabel } = useAppWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const switchTo = useOrganizationSwitch();
  const { data } = useQuery(ownOrganizationsQuery);
  const here = data?.data.find(({ id }) => id === data.organizationId);
  const leave = async (): Promise<void> => {
    await signOut().catch(() => {});
    queries.clear();
    await navigate({ to: '/sign-in', search: {} });
  };
  const others = data?.data.filter(({ isSuspended }) => !isSuspended) ?? [];
  return (
    <main>
      <Empty icon="shield" title={words.title}>
        <p>{words.text(here?.name ?? '')}</p>
        {typeof here?.suspensionReason === 'string' && (
          <Notice tone="warn">
            {words.reason} <strong>{here.suspensionReason}</strong>
          </Notice>
        )}
        <p>
          <AskOperator contact={data?.supportContact ?? null} />
        </p>
        {others.length > 0 && (
          <>
            <h3>{words.others}</h3>
            <ul>
              {others.map(({ id, name }) => (
                <li key={id}>
                  <Button variant="plain" icon="arrowRight" onPress={() => void switchTo(id)}>
                    {name}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
        <Button icon="signOut" onPress={() => void leave()}>
          {signOutLabel}
        </Button>
      </Empty>
      <Messages />
    </main>
  );
}

/** A page that threw. */
export function BrokenPage({ error }: { error: unknown }) {
  const words = useAppWords().broken;
  return (
    <Empty
      icon="warning"
      title={words.title}
      action={
        <Button variant="primary" icon="refresh" onPress={() => location.reload()}>
          {words.reload}
        </Button>
      }
    >
      {words.text} {messageOf(error)}
    </Empty>
  );
}
