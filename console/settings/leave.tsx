import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { leaveOrganization } from '#console/api/invitations.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useInvitationWords } from './invitation-words.ts';

/** The way out of the organization. */
export function Leave() {
  const words = useInvitationWords();
  const { organization } = useSession();
  const queries = useQueryClient();
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: leaveOrganization,
    onSuccess: async () => {
      sayDone(words.left(organization.name));
      queries.clear();
      await router.navigate({ to: '/links', search: {} });
      await router.invalidate();
    },
    onError: (error) => {
      setAsking(false);
      sayFailed(words.notLeft, error);
    },
  });
  return (
    <div>
      <Button icon="signOut" onPress={() => setAsking(true)}>
        {words.leave}
      </Button>
      {isAsking && (
        <Confirm
          title={words.leaveTitle(organization.name)}
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel={words.leaveNow}
          isDanger
          isConfirmDisabled={leave.isPending}
          onConfirm={() => leave.mutate()}
        >
          <p>{words.leaveText}</p>
        </Confirm>
      )}
    </div>
  );
}
