import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkClicks } from '#bench/lib/clicks.ts';
import { linkHost } from '#bench/lib/database.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { userAgents } from '#bench/lib/user-agents.ts';
import type { Target } from '#bench/lib/stage.ts';
import type { RedirectStage } from './stage.ts';

const visitors = 500;
const repeats = 20;
const quickRepeats = 3;
// PostgreSQL's word for a run of the statement that reads links.
const readLine = 'execute compiled-links:';
const logSettleMs = 200;

/** Counts the queries of many simultaneous visitors of a link that is not in memory: R7. */
export async function measureCold(stage: RedirectStage, findings: Findings): Promise<void> {
  console.log(`R7: ${visitors} visitors at once of a link that is not in memory`);
  const { database, slugs, options } = stage;
  let reads = 0;
  const countReads = (line: string): void => void (line.includes(readLine) && (reads += 1));
  stage.postgresListeners.add(countReads);
  // For the connections that the next edge will make: its server otherwise logs only what ends it.
  await database.db.query(`alter role waymark set log_min_messages = 'log'`);
  await database.db.query(`alter role waymark set log_statement = 'all'`);
  const edge = await stage.edge();
  const cold = slugs.slice(0, options.isQuick ? quickRepeats : repeats);
  const counts: number[] = [];
  // Brings the domain into memory first.
  await visitAtOnce(edge, slugs.at(-1)!, 1);
  for (const slug of cold) {
    await sleep(logSettleMs);
    reads = 0;
    await visitAtOnce(edge, slug, visitors);
    await sleep(logSettleMs);
    counts.push(reads);
  }
  const requests = cold.length * visitors + 1;
  const mismatch = await checkClicks(database.db, edge.url, { requests }, 0);
  if (mismatch !== undefined) console.log(`  ${mismatch}`);
  await edge.stop();
  stage.postgresListeners.delete(countReads);
  await database.db.query('alter role waymark reset all');
  const most = Math.max(...counts);
  findings.add({
    id: 'R7',
    what: `queries for ${visitors} visitors at once of a cold link`,
    figure: mismatch === undefined ? `${most} at most in ${cold.length} tries` : 'no figure',
    baseline: '',
    ratio: '',
    goal: '1',
    isMet: mismatch === undefined ? counts.every((count) => count === 1) : null,
  });
}

/** Opens all connections first, so that the requests come together. @throws Error where one is not redirected. */
async function visitAtOnce({ url }: Target, slug: string, count: number): Promise<void> {
  const port = Number(new URL(url).port);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const answers = await Promise.all(
    sockets.map((socket, index) => {
      const headers = `Host: ${linkHost}\r\nUser-Agent: ${userAgents[index % userAgents.length]}\r\nConnection: close`;
      socket.write(`GET /${slug} HTTP/1.1\r\n${headers}\r\n\r\n`);
      return readAll(socket);
    }),
  );
  const wrong = answers.filter((answer) => !answer.startsWith('HTTP/1.1 302 '));
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${count} visitors were not redirected: ${wrong[0]}`);
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
