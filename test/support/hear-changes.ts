import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { channels, type LinkChange } from '#db/notifications/notify.ts';

/** Collects the links and domains in the notifications to the edge. */
export interface Hearing extends AsyncDisposable {
  /** All notifications so far. */
  changes(): Promise<LinkChange[]>;
}

/** Starts to listen to notifications of changed links. */
export async function hearChanges(databaseUrl: string): Promise<Hearing> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`listen ${channels.links}`);
  const changes: LinkChange[] = [];
  const marks = new Map<string, () => void>();
  client.on('notification', ({ payload = '' }) => {
    const mark = marks.get(payload);
    if (mark === undefined) changes.push(JSON.parse(payload) as LinkChange);
    else mark();
  });
  return {
    async changes() {
      // Notifications come in the order of their commits.
      const mark = randomUUID();
      const heard = new Promise<void>((resolve) => marks.set(mark, resolve));
      await client.query('select pg_notify($1, $2)', [channels.links, mark]);
      await heard;
      return [...changes];
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
