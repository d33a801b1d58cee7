import { type ApiKey, revokeKey } from '#console/api/people/keys.ts';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { useLastUse } from './last-use.ts';
import { useKeyWords } from './words.ts';

/** Asks before a key is revoked, and tells what used it lately. */
export function RevokeDialog({ one, onClose }: { one: ApiKey; onClose: () => void }) {
  const words = useKeyWords();
  const lastUse = useLastUse();
  const { id, name } = one;
  return (
    <ConfirmChange
      title={words.revokeTitle(name)}
      onClose={onClose}
      submitLabel={words.revoke}
      change={{
        send: () => revokeKey(id),
        done: words.revoked(name),
        failed: words.notRevoked,
        refresh: [['keys']],
      }}
    >
      <p>{words.revokeText}</p>
      <p className="quiet">{words.lastUse(lastUse(one))}</p>
    </ConfirmChange>
  );
}
