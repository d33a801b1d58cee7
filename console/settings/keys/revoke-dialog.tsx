import { type ApiKey, revokeKey } from '#console/api/keys.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { useLastUse } from './last-use.ts';
import { useKeyWords } from './words.ts';
import { useChange } from '#console/ui/form/use-change.ts';

/** Asks before a key is revoked, and tells what used it lately. */
export function RevokeDialog({ one, onClose }: { one: ApiKey; onClose: () => void }) {
  const words = useKeyWords();
  const lastUse = useLastUse();
  const { id, name } = one;
  const revoke = useChange({
    send: () => revokeKey(id),
    done: words.revoked(name),
    failed: words.notRevoked,
    refresh: [['keys']],
    onDone: onClose,
    onFailed: onClose,
  });
  return (
    <Confirm
      title={words.revokeTitle(name)}
      onClose={onClose}
      submitLabel={words.revoke}
      isDanger
      isPending={revoke.isPending}
      onSubmit={() => revoke.send()}
    >
      <p>{words.revokeText}</p>
      <p className="quiet">{words.lastUse(lastUse(one))}</p>
    </Confirm>
  );
}
