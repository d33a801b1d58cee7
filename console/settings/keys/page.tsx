import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type CreatedKey, keysPerPage, keysQuery } from '#console/api/people/keys.ts';
import { useCan } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { KeyDialog } from './dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { KeyRow } from './row.tsx';
import { ValueDialog } from './value-dialog.tsx';
import { useKeyWords } from './words.ts';
import { Panel } from '#console/ui/page/panel.tsx';
import css from './keys.module.css';
import { List } from '#console/ui/list/list.tsx';

/** /settings/keys */
export default function KeysPage() {
  const words = useKeyWords();
  const canRead = useCan('apiKeys', 'read');
  return <SettingsFrame page="keys">{canRead ? <Keys /> : <Empty icon="key" title={words.forAdmins} />}</SettingsFrame>;
}

function Keys() {
  const words = useKeyWords();
  const canCreate = useCan('apiKeys', 'create');
  const [page, setPage] = useState(1);
  const [edited, setEdited] = useState<{ changed?: ApiKey }>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
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
        <Button variant="primary" icon="add" isDisabled={!canCreate} onPress={() => setEdited({})}>
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
                onRevoke={() => setRevoked(key)}
              />
            ))}
          </ul>
        )}
      </List>
      {edited !== undefined && (
        <KeyDialog
          changed={edited.changed}
          onClose={() => setEdited(undefined)}
          onMade={(made) => {
            setEdited(undefined);
            setShown(made);
          }}
        />
      )}
      {rotated !== undefined && (
        <RotateDialog
          one={rotated}
          onClose={() => setRotated(undefined)}
          onRotated={(made) => {
            setRotated(undefined);
            setShown(made);
          }}
        />
      )}
      {shown !== undefined && <ValueDialog made={shown} onClose={() => setShown(undefined)} />}
      {revoked !== undefined && <RevokeDialog one={revoked} onClose={() => setRevoked(undefined)} />}
    </Panel>
  );
}
