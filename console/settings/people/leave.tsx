import { useRouter } from '@tanstack/react-router';
import { moveSession } from '#console/app/refresh-session.ts';
import { leaveOrganization } from '#console/api/people/invitations.ts';
import { useInvitationWords } from './invitation-words.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useState } from 'react';

/** The way out of the organization. */
export function Leave() {
  const words = useInvitationWords();
  const { organization } = useSession();
  const queries = useQueryClient();
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);
  return (
    <div>
      <Button icon="signOut" onPress={() => setAsking(true)}>
        {words.leave}
      </Button>
      {isAsking && (
        <ConfirmChange
          title={words.leaveTitle(organization.name)}
          onClose={() => setAsking(false)}
          submitLabel={words.leaveNow}
          change={{
            send: leaveOrganization,
            done: words.left(organization.name),
            failed: words.notLeft,
            onDone: async () => {
              await router.navigate({ to: '/links', search: {} });
              await moveSession(queries);
              await router.invalidate();
            },
          }}
        >
          <p>{words.leaveText}</p>
        </ConfirmChange>
      )}
    </div>
  );
}
