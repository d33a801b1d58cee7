import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { ApiError, messageOf } from '#console/api/error.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { readNew } from '#console/links/new-link.tsx';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { isHalted } from '#console/app/can.ts';
import { Shell } from '#console/app/shell.tsx';
import { late } from '#console/ui/page/late.tsx';
import { useAppWords } from '#console/app/words.ts';

const NewLinkDialog = late(async () => (await import('#console/links/editor/new-link-dialog.tsx')).default, 'message');
const SuspendedPage = late(
  async () => (await import('#console/app/organization/suspended-page.tsx')).default,
  'box',
  null,
);

/** The frame around the pages of a signed-in person, and the editor that opens over them. */
export function SignedInPages() {
  const { data: session } = useQuery(sessionQuery);
  const address = readNew(useSearch({ from: '/frame' }).new);
  const isOfStaff = useLocation({ select: ({ pathname }) => /\/staff(?:\/|$)/.test(pathname) });
  if (session === null || session === undefined) return null;
  // Only staff have a session there: their own pages are of no organization.
  if (isHalted(session) && !isOfStaff) return <SuspendedPage isStaff />;
  // Another organization begins with fresh pages.
  return (
    <Shell key={session.organization.id} session={session}>
      {address !== undefined && <NewLinkDialog key={address} address={address} />}
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

/** A page that threw. */
export function BrokenPage({ error }: { error: unknown }) {
  const words = useAppWords().broken;
  return (
    <Empty
      icon="warning"
      isPage
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
