import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '#console/api/error.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { useUiWords } from '#console/i18n/ui.ts';

/** The id of a call that failed by a fault of the server; for people who may read the request log it is the way there. */
export function CallId({ error, className }: { error: unknown; className: string | undefined }) {
  const words = useUiWords();
  const session = useQueryClient().getQueryData(sessionQuery.queryKey);
  const call = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined;
  if (call === undefined) return null;
  const shown = <code>{call}</code>;
  return (
    <p className={className}>
      {words.callId}{' '}
      {session?.permissions.apiKeys?.includes('read') ? (
        <Link to="/settings/calls" search={{ call }}>
          {shown}
        </Link>
      ) : (
        shown
      )}
    </p>
  );
}
