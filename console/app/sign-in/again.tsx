import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '#console/api/people/session.ts';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { settle } from '#console/app/connection.ts';
import { moveSession, refreshSession } from '#console/app/refresh-session.ts';
import { SignInForm } from './form.tsx';
import { useSignInWords } from './sign-in-words.ts';

/**
 * The sign-in by the person's own password or passkey, where the identity provider of an organization opened the session: it leads to no
 * other organization.
 */
export function SignInYourself({ email, onClose }: { email: string; onClose: () => void }) {
  const words = useSignInWords();
  const queries = useQueryClient();
  return (
    <Dialog title={words.yourself} onClose={onClose}>
      <p>{words.yourselfWhy}</p>
      <SignInForm
        email={email}
        onSignedIn={() => {
          onClose();
          // It may begin in another organization.
          void refreshSession(queries);
        }}
      />
    </Dialog>
  );
}

/** The sign-in over a page whose session ended: calls that were refused go on afterwards. */
export function SignInAgain({ email }: { email: string }) {
  const words = useSignInWords();
  const queries = useQueryClient();
  return (
    <Dialog title={words.again} onClose={() => settle('signIn', new Error(words.ended))} isDismissable={false}>
      <p>{words.ended}</p>
      <SignInForm
        email={email}
        onSignedIn={(session) => {
          const before = queries.getQueryData(sessionQuery.queryKey);
          if (before?.organization.id === session.organization.id) {
            queries.setQueryData(sessionQuery.queryKey, session);
            return settle('signIn');
          }
          // The calls that wait are meant for an organization that the person has left.
          settle('signIn', new Error(words.ended));
          void moveSession(queries, session);
        }}
      />
    </Dialog>
  );
}
