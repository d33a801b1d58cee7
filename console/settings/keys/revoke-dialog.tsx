import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ApiKey, revokeKey } from '#console/api/keys.ts';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useLastUse } from './last-use.ts';
import { useKeyWords } from './words.ts';

/** Asks before a key is revoked, and tells what used it lately. */
export function RevokeDialog({ one, onClose }: { one: ApiKey; onClose: () => void }) {
  const words = useKeyWords();
  const lastUse = useLastUse();
  const queries = useQueryClient();
  const { id, name } = one;
  const revoke = useMutation({
    mutationFn: () => revokeKey(id),
    onSuccess: () => sayDone(words.revoked(name)),
    onError: (error) => sayFailed(words.notRevoked, error),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      onClose();
    },
  });
  return (
    <Confirm
      title={words.revokeTitle(name)}
      isOpen
      onClose={onClose}
      confirmLabel={words.revoke}
      isDanger
      isConfirmDisabled={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>{words.revokeText}</p>
      <p className="quiet">{words.lastUse(lastUse(one))}</p>
    </Confirm>
  );
}
