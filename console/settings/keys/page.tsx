import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type CreatedKey, keysPerPage, keysQuery } from '#console/api/keys.ts';
import { useCan } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { Pages } from '#console/ui/pages.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { KeyDialog } from './dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { KeyRow } from './row.tsx';
import { ValueDialog } from './value-dialog.tsx';
import { useKeyWords } from './words.ts';
import settings from '#console/settings/settings.module.css';
import css from './keys.module.css';

/** /settings/keys */
export function KeysPage() {
  const words = useKeyWords();
  const canRead = useCan('apiKeys', 'read');
  return <SettingsFrame page="keys">{canRead ? <Keys /> : <Empty icon="key" title={words.forAdmins} />}</SettingsFrame>;
}

function Keys() {
  const words = useKeyWords();
  const canCreate = useCan('apiKeys', 'create');
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuery(keysQuery(page));
  const [edited, setEdited] = useState<{ changed?: ApiKey }>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const [shown, setShown] = useState<CreatedKey>();
  return (
    <section className={settings.panel} aria-label={words.list}>
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
        <ul className={css.keys}>
          {data.data.map((key) => (
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
      {data !== undefined && data.count > keysPerPage && (
        <Pages page={page} pages={Math.ceil(data.count / keysPerPage)} onPage={setPage} />
      )}
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
    </section>
  );
}
