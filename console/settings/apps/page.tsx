import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { appsQuery, type ConnectedApp, disconnectApp } from '#console/api/people/apps.ts';
import { apiBase } from '#console/api/client.ts';
import { useFormat } from '#console/i18n/format.ts';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { useSettingsWords } from '#console/settings/words.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/text/code.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useAppsWords } from './words.ts';

/** /settings/apps */
export default function AppsPage() {
  const words = useAppsWords();
  const { apps: title } = useSettingsWords();
  const apps = useQuery(appsQuery);
  const [asked, setAsked] = useState<ConnectedApp>();
  return (
    <SettingsFrame page="apps">
      <Panel title={title} heading={null}>
        <p className="quiet">{words.hint}</p>
        <Loaded query={apps} rows={2}>
          {({ data }) =>
            data.length === 0 ? (
              <>
                <p>
                  <strong>{words.none}.</strong> {words.noneText}
                </p>
                <Code text={`${apiBase()}/mcp`} label={words.address} />
              </>
            ) : (
              <ul className={layout.rows}>
                {data.map((app) => (
                  <AppRow key={app.id} app={app} onEnd={() => setAsked(app)} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      {asked !== undefined && (
        <ConfirmChange
          title={words.endTitle(asked.name)}
          onClose={() => setAsked(undefined)}
          submitLabel={words.endNow}
          change={{
            send: () => disconnectApp(asked.id),
            done: words.ended(asked.name),
            failed: words.notEnded,
            refresh: [appsQuery.queryKey],
          }}
        >
          <p>{words.endText}</p>
        </ConfirmChange>
      )}
    </SettingsFrame>
  );
}

function AppRow({ app, onEnd }: { app: ConnectedApp; onEnd: () => void }) {
  const words = useAppsWords();
  const format = useFormat();
  const now = useNow();
  const { name, organization, redirectHost, lastUsedAt, expiresAt } = app;
  return (
    <li>
      <span>
        <strong>{name}</strong> <span className="quiet">{words.leads(redirectHost)}</span>
        <br />
        <span className="quiet">{words.of(organization.name, format.ago(lastUsedAt, now), format.day(expiresAt))}</span>
      </span>
      <Button size="small" icon="close" aria-label={words.endOf(name)} onPress={onEnd}>
        {words.end}
      </Button>
    </li>
  );
}
