import { expect, test } from 'vitest';
import { createListener, type Listener } from '#db/notifications/listener.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';

const db = useTestDatabase();

interface Heard extends AsyncDisposable {
  listener: Listener;
  heard: string[];
  gaps(): number;
}

function listen(url: string): Heard {
  const heard: string[] = [];
  let gaps = 0;
  const listener = createListener({
    url,
    channels: [channels.links, channels.outbox],
    onNotification: (channel, payload) => void heard.push(`${channel} ${payload}`),
    onGap: () => void (gaps += 1),
    log: { info: () => undefined, warn: () => undefined },
  });
  return { listener, heard, gaps: () => gaps, [Symbol.asyncDispose]: () => listener.close() };
}

test('a listener receives notifications of its channels, and not its own echo', async () => {
  await using ear = listen(db.url);
  await ear.listener.start();
  expect([ear.listener.isStale(), ear.gaps()]).toEqual([false, 1]);
  await notify(db, channels.links, 'a');
  await notify(db, channels.verdicts, 'b');
  await notify(db, channels.outbox);
  await eventually(
    () => ear.heard,
    ({ length }) => length === 2,
  );
  expect(ear.heard).toEqual(['waymark_links a', 'waymark_outbox ']);
});

test.each(['cut', 'freeze'] as const)(
  'a lost connection (%s) makes the listener stale until it has connected again',
  async (how) => {
    await using proxy = await createTcpProxy(db.url);
    await using ear = listen(proxy.url);
    await ear.listener.start();
    proxy[how]();
    await eventually(ear.listener.isStale, (isStale) => isStale);
    proxy.restore();
    // A frozen connection that thaws before it is given up has missed nothing.
    await eventually(ear.listener.isStale, (isStale) => !isStale);
    expect(ear.gaps()).toBeGreaterThanOrEqual(how === 'cut' ? 2 : 1);
    await notify(db, channels.links, 'after');
    await eventually(
      () => ear.heard,
      (heard) => heard.includes('waymark_links after'),
    );
  },
);

test('a connection that the server ends is replaced', async () => {
  await using ear = listen(db.url);
  await ear.listener.start();
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waymark listener' and datname = $1`,
    [db.name],
  );
  expect(await eventually(ear.gaps, (gaps) => gaps > 1)).toBe(2);
});

test('a listener starts without a database, and listens once there is one', async () => {
  await using proxy = await createTcpProxy(db.url);
  proxy.cut();
  await using ear = listen(proxy.url);
  await ear.listener.start();
  expect([ear.listener.isStale(), ear.gaps()]).toEqual([true, 0]);
  proxy.restore();
  await eventually(ear.gaps, (gaps) => gaps === 1);
});

test('a listener closes without an answer of the server, connected or not', async () => {
  await using proxy = await createTcpProxy(db.url);
  for (const how of ['restore', 'freeze', 'cut'] as const) {
    proxy.restore();
    const ear = listen(proxy.url);
    await ear.listener.start();
    proxy[how]();
    await ear.listener.close();
    expect(ear.listener.isStale()).toBe(true);
  }
});

test('a listener closes while it is connecting', async () => {
  await using proxy = await createTcpProxy(db.url);
  proxy.freeze();
  const ear = listen(proxy.url);
  const started = ear.listener.start();
  await ear.listener.close();
  expect(await started).toBeUndefined();
});
