import { useRouter } from '@tanstack/react-router';
import { leaveOrganization } from '#console/api/invitations.ts';
import { useInvitationWords } from './invitation-words.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
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
  const leave = useChange({
    send: leaveOrganization,
    done: words.left(organization.name),
    failed: words.notLeft,
    onDone: async () => {
      queries.clear();
      await router.navigate({ to: '/links', search: {} });
      await router.invalidate();
    },
    onFailed: () => setAsking(false),
  });
  return (
    <div>
      <Button icon="signOut" onPress={() => setAsking(true)}>
        {words.leave}
      </Button>
      {isAsking && (
        <Confirm
          title={words.leaveTitle(organization.name)}
          onClose={() => setAsking(false)}
          submitLabel={words.leaveNow}
          isDanger
          isPending={leave.isPending}
          onSubmit={leave.send}
        >
          <p>{words.leaveText}</p>
        </Confirm>
      )}
    </div>
  );
}
