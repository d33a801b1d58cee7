import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Device, devicesQuery, endOtherSessions, endSession } from '#console/api/account.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from './frame.tsx';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

/** /settings/devices */
export function DevicesPage() {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(devicesQuery);
  const end = useMutation({
    mutationFn: (id: string | undefined): Promise<unknown> => (id === undefined ? endOtherSessions() : endSession(id)),
    onSuccess: () => sayDone(words.ended),
    onError: (failure) => sayFailed(words.notEnded, failure),
    onSettled: () => queries.invalidateQueries({ queryKey: devicesQuery.queryKey }),
  });
  const others = data?.data.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsFrame page="devices">
      <section className={css.panel} aria-label={words.devices}>
        <p className="quiet">{words.devicesHint}</p>
        {data === undefined &&
          (error === null ? <Skeleton rows={2} /> : <Failed error={error} onRetry={() => void refetch()} />)}
        <ul className={css.rows}>
          {data?.data.map((device) => (
            <DeviceRow key={device.id} device={device} isPending={end.isPending} onEnd={() => end.mutate(device.id)} />
          ))}
        </ul>
        {others.length > 1 && (
          <div>
            <Button variant="danger" isPending={end.isPending} onPress={() => end.mutate(undefined)}>
              {words.endAll}
            </Button>
          </div>
        )}
      </section>
    </SettingsFrame>
  );
}

interface DeviceRowProps {
  device: Device;
  isPending: boolean;
  onEnd: () => void;
}

function DeviceRow({ device, isPending, onEnd }: DeviceRowProps) {
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
          {organization} · {words.lastUsed(format.ago(lastSeenAt, now))} · {words.signedIn(format.day(createdAt))}
        </span>
      </span>
      {!isCurrent && (
        <Button size="small" icon="signOut" aria-label={words.endOf(name)} isDisabled={isPending} onPress={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}
