import { useQuery } from '@tanstack/react-query';
import { appsQuery, type ConnectedApp, disconnectApp } from '#console/api/people/apps.ts';
import { apiBase } from '#console/api/client.ts';
import { useFormat } from '#console/i18n/format.ts';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { useSettingsWords } from '#console/settings/words.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Code } from '#console/ui/text/code.tsx';
import { ConfirmButton } from '#console/ui/form/form-dialog.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useAppsWords } from './words.ts';

/** /settings/apps */
export default function AppsPage() {
  const words = useAppsWords();
  const { apps: title } = useSettingsWords();
  const apps = useQuery(appsQuery);
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
                  <AppRow key={app.id} app={app} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
    </SettingsFrame>
  );
}

function AppRow({ app }: { app: ConnectedApp }) {
  const words = useAppsWords();
  const format = useFormat();
  const now = useNow();
  const { id, name, organization, redirectHost, lastUsedAt, expiresAt } = app;
  return (
    <li>
      <span>
        <strong>{name}</strong> <span className="quiet">{words.leads(redirectHost)}</span>
        <br />
        <span className="quiet">{words.of(organization.name, format.ago(lastUsedAt, now), format.day(expiresAt))}</span>
      </span>
      <ConfirmButton
        button={{ size: 'small', icon: 'close', 'aria-label': words.endOf(name), children: words.end }}
        title={words.endTitle(name)}
        submitLabel={words.endNow}
        change={{
          send: () => disconnectApp(id),
          done: words.ended(name),
          failed: words.notEnded(name),
          refresh: [appsQuery.queryKey],
        }}
      >
        <p>{words.endText}</p>
      </ConfirmButton>
    </li>
  );
}
