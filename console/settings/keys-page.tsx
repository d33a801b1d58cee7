import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { type ApiKey, type CreatedKey, keysQuery, revokeKey } from '#console/api/keys.ts';
import { useCan } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { Confirm, Dialog } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Empty, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from './frame.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { useKeyWords } from './key-words.ts';
import css from './settings.module.css';

/** /settings/keys */
export function KeysPage() {
  const words = useKeyWords();
  const canRead = useCan('apiKeys', 'read');
  return <SettingsFrame page="keys">{canRead ? <Keys /> : <Empty icon="key" title={words.forAdmins} />}</SettingsFrame>;
}

function Keys() {
  const words = useKeyWords();
  const { data, error, refetch } = useQuery(keysQuery());
  const [open, setOpen] = useState<{ changed?: ApiKey }>();
  const [made, setMade] = useState<CreatedKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  return (
    <section className={css.panel} aria-label={words.list}>
      <p className="quiet">{words.hint}</p>
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={2} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : data.count === 0 ? (
        <Empty icon="key" title={words.noneTitle}>
          {words.noneText}
        </Empty>
      ) : (
        <ul className={css.rows}>
          {data.data.map((key) => (
            <KeyRow key={key.id} one={key} onEdit={() => setOpen({ changed: key })} onRevoke={() => setRevoked(key)} />
          ))}
        </ul>
      )}
      <div>
        <Button variant="primary" icon="add" onPress={() => setOpen({})}>
          {words.make}
        </Button>
      </div>
      {open !== undefined && (
        <KeyDialog
          changed={open.changed}
          onClose={() => setOpen(undefined)}
          onMade={(key) => {
            setOpen(undefined);
            setMade(key);
          }}
        />
      )}
      {made !== undefined && <MadeDialog made={made} onClose={() => setMade(undefined)} />}
      {revoked !== undefined && <RevokeDialog one={revoked} onClose={() => setRevoked(undefined)} />}
    </section>
  );
}

function KeyRow({ one, onEdit, onRevoke }: { one: ApiKey; onEdit: () => void; onRevoke: () => void }) {
  const words = useKeyWords();
  const format = useFormat();
  const now = useNow();
  const { name, type, last4, createdAt, lastUsedAt } = one;
  return (
    <li>
      <span>
        <strong>{name}</strong> <Chip>{words.types[type]}</Chip>
        <br />
        <span className="quiet">
          …{last4} · {words.made(format.day(createdAt))} ·{' '}
          {lastUsedAt === null ? words.neverUsed : words.lastUsed(format.ago(lastUsedAt, now))}
        </span>
      </span>
      <span className={css.presets}>
        <Button size="small" icon="edit" aria-label={words.editOf(name)} onPress={onEdit}>
          {words.edit}
        </Button>
        <Button size="small" icon="trash" variant="danger" aria-label={words.revokeOf(name)} onPress={onRevoke}>
          {words.revoke}
        </Button>
      </span>
    </li>
  );
}

/** The value of a new key, once, with a command that works. */
function MadeDialog({ made: { key, name }, onClose }: { made: CreatedKey; onClose: () => void }) {
  const words = useKeyWords();
  return (
    <Dialog
      title={words.editTitle(name)}
      isOpen
      // Escape must not take away what no later page shows.
      isDismissable={false}
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      <Notice tone="warn" icon="key">
        {words.once}
      </Notice>
      <Code text={key} label={words.key} name={words.copiedKey} />
      <Code text={`curl -H 'x-api-key: ${key}' ${apiBase()}/organization`} label={words.tryIt} name={words.tryIt} />
    </Dialog>
  );
}

function RevokeDialog({ one: { id, name }, onClose }: { one: ApiKey; onClose: () => void }) {
  const words = useKeyWords();
  const queries = useQueryClient();
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
    </Confirm>
  );
}
