import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type CreatedKey, keysPerPage, keysQuery, rotateKey } from '#console/api/people/keys.ts';
import { useCan, useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { KeyDialog } from './dialog.tsx';
import { KeyRow, useLastUse } from './row.tsx';
import { useKeyWords } from './words.ts';
import { Panel } from '#console/ui/page/panel.tsx';
import css from './keys.module.css';
import { List } from '#console/ui/list/list.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { apiBase } from '#console/api/client.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Code } from '#console/ui/text/code.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { useNow } from '#console/ui/browser/now.ts';

/** /settings/keys */
export default function KeysPage() {
  const words = useKeyWords();
  const canRead = useCan('apiKeys', 'read');
  return <SettingsFrame page="keys">{canRead ? <Keys /> : <Empty icon="key" title={words.forAdmins} />}</SettingsFrame>;
}

function Keys() {
  const words = useKeyWords();
  const refusal = useRefusal('apiKeys', 'create');
  const [page, setPage] = useState(1);
  const [edited, setEdited] = useState<{ changed?: ApiKey }>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [shown, setShown] = useState<CreatedKey>();
  return (
    <Panel title={words.list} heading={null}>
      <p className="quiet">{words.hint}</p>
      <dl className={css.kinds}>
        {(['integration', 'bot', 'user'] as const).map((type) => (
          <div key={type}>
            <dt>{words.types[type]}</dt>
            <dd>{words.kinds[type]}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Button variant="primary" icon="add" refusal={refusal} onPress={() => setEdited({})}>
          {words.make}
        </Button>
      </div>
      <List
        query={useQuery(keysQuery(page - 1))}
        page={page}
        perPage={keysPerPage}
        onPage={setPage}
        empty={
          <Empty icon="key" title={words.noneTitle}>
            {words.noneText}
          </Empty>
        }
        rows={2}
      >
        {(keys) => (
          <ul className={css.keys}>
            {keys.map((key) => (
              <KeyRow
                key={key.id}
                one={key}
                onEdit={() => setEdited({ changed: key })}
                onRotate={() => setRotated(key)}
              />
            ))}
          </ul>
        )}
      </List>
      {edited !== undefined && (
        <KeyDialog changed={edited.changed} onClose={() => setEdited(undefined)} onMade={setShown} />
      )}
      {rotated !== undefined && (
        <RotateDialog one={rotated} onClose={() => setRotated(undefined)} onRotated={setShown} />
      )}
      {shown !== undefined && <ValueDialog made={shown} onClose={() => setShown(undefined)} />}
    </Panel>
  );
}

const overlaps = ['0', '1', '24', '72', '168'] as const;

interface RotateDialogProps {
  one: ApiKey;
  /** Called with the key and its new value. */
  onRotated: (rotated: CreatedKey) => void;
  onClose: () => void;
}

/** Gives a key another value, and the present one some more hours. */
function RotateDialog({ one, onRotated, onClose }: RotateDialogProps) {
  const words = useKeyWords();
  const lastUse = useLastUse();
  const format = useFormat();
  const now = useNow();
  const [hours, setHours] = useState<(typeof overlaps)[number]>('24');
  const rotate = useChange({
    send: (_input: void, intent) => rotateKey(one.id, Number(hours), intent),
    failed: words.notRotated,
    refresh: [['keys']],
    leave: onClose,
    onDone: onRotated,
  });
  const { expiresAt } = one;
  const endsSooner = expiresAt !== null && Date.parse(expiresAt) < now.getTime() + Number(hours) * 3_600_000;
  const hint = endsSooner ? words.overlapToEnd(format.moment(expiresAt)) : words.overlapHint;
  return (
    <FormDialog
      title={words.rotateTitle(one.name)}
      onClose={onClose}
      submitLabel={words.rotateNow}
      isPending={rotate.isPending}
      onSubmit={rotate.send}
    >
      <p>{words.rotateText}</p>
      <p className="quiet">{words.lastUse(lastUse(one))}</p>
      <Select
        label={words.overlap}
        hint={hours === '0' ? words.overlapNone : hint}
        value={hours}
        onChange={setHours}
        choices={overlaps.map((id) => ({ id, label: words.overlaps[id] }))}
      />
    </FormDialog>
  );
}

/** The value of a key, once, with a command that works. */
function ValueDialog({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  const words = useKeyWords();
  const format = useFormat();
  const now = useNow();
  const { key, name, allowedAddresses, previousKeyUntil } = made;
  const path = triedPath(made);
  return (
    <OnceDialog title={words.editTitle(name)} once={words.once} done={words.done} onClose={onClose}>
      <Code text={key} label={words.key} name={words.copiedKey} isWhole />
      {previousKeyUntil !== null && new Date(previousKeyUntil) > now && (
        <p>{words.previousWorks(format.moment(previousKeyUntil))}</p>
      )}
      {path !== undefined && (
        <Code text={`curl -H 'x-api-key: ${key}' '${apiBase()}${path}'`} label={words.tryIt} name={words.tryIt} />
      )}
      {allowedAddresses !== null && <p className="quiet">{words.tryFrom(allowedAddresses.join(', '))}</p>}
    </OnceDialog>
  );
}

/** A path that the key may read; undefined: it may read none. */
function triedPath({ permissions, folderIds, domainIds }: CreatedKey): string | undefined {
  if (folderIds === null && domainIds === null) return '/organization';
  if (permissions.shortLinks?.includes('read')) return '/short-link/count';
  if (permissions.domains?.includes('read')) return '/domain/all';
  return permissions.stats?.includes('read') ? '/stats/clicks-over-time' : undefined;
}
