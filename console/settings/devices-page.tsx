import { useQuery } from '@tanstack/react-query';
import { type Device, devicesQuery, endOtherSessions, endSession } from '#console/api/people/account.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { SettingsFrame } from './frame.tsx';
import { useSettingsWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

/** /settings/devices */
export default function DevicesPage() {
  const words = useSettingsWords();
  const devices = useQuery(devicesQuery);
  const end = useChange({
    send: (id: string | undefined): Promise<unknown> => (id === undefined ? endOtherSessions() : endSession(id)),
    done: words.ended,
    failed: words.notEnded,
    refresh: [devicesQuery.queryKey],
  });
  const others = devices.data?.data.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsFrame page="devices">
      <Panel title={words.devices} heading={null}>
        <p className="quiet">{words.devicesHint}</p>
        <Loaded query={devices} rows={2}>
          {({ data }) => (
            <ul className={layout.rows}>
              {data.map((device) => (
                <DeviceRow
                  key={device.id}
                  device={device}
                  isPending={end.isPending}
                  onEnd={() => end.send(device.id)}
                />
              ))}
            </ul>
          )}
        </Loaded>
        {others.length > 1 && (
          <div>
            <Button variant="danger" isPending={end.isPending} onPress={() => end.send(undefined)}>
              {words.endAll}
            </Button>
          </div>
        )}
      </Panel>
    </SettingsFrame>
  );
}

function DeviceRow({ device, isPending, onEnd }: { device: Device; isPending: boolean; onEnd: () => void }) {
  const words = useSettingsWords();
  const format = useFormat();
  const now = useNow();
  const { browser, os, isCurrent, organization, lastSeenAt, createdAt } = device;
  const name = words.browserOn(browser ?? words.unknownBrowser, os ?? words.unknownSystem);
  return (
    <li>
      <span>
        <strong>{name}</strong> {isCurrent && <Chip tone="good">{words.thisOne}</Chip>}
        <br />
        <span className="quiet">
          {organization} · {isCurrent ? words.inUse : words.lastUsed(format.agoInHours(lastSeenAt, now))} ·{' '}
          {words.signedIn(format.day(createdAt))}
        </span>
      </span>
      {!isCurrent && (
        <Button size="small" icon="signOut" aria-label={words.endOf(name)} isPending={isPending} onPress={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}
