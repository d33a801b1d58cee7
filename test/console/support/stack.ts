import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { buildConsole } from '#scripts/build/console.ts';
import type { Service } from '#scripts/supervisor/supervise.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { type FakeDns, startFakeDns } from '#test/support/fake-dns.ts';
import { shareFixture, useFixture } from '#test/support/fixture.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { productService } from '#scripts/supervisor/processes.ts';
import { createReceivers, type Receivers } from '#test/support/receivers.ts';
import { createTestDatabase, patientMs, temporalForTest } from '#test/support/stack.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { startMailServer } from './mail-server.ts';

/** API, edge and worker as `npm start` runs them, with the built console. */
export interface ConsoleStack {
  /** Address of the API: its Origin is that of the console. */
  url: string;
  edgeUrl: string;
  db: Database;
  /** The last lines that the processes logged. */
  log(): string;
  /** Mails that the worker sent, as they came over SMTP. */
  mails: readonly string[];
  /** Servers of webhooks, whose certificates the worker trusts. */
  receivers: Receivers;
  /** The name server that API and worker ask. */
  dns: FakeDns;
  /** Ends the API by SIGKILL. */
  killApi(): Promise<void>;
  /** Starts the API again at the same address, unless it runs; `settings` beside its own last until `heal`. */
  startApi(settings?: NodeJS.ProcessEnv): Promise<void>;
  /** Ends the worker by SIGKILL. */
  killWorker(): Promise<void>;
  /** Starts the worker again, unless it runs. */
  startWorker(): Promise<void>;
  /** The way of API and worker to Temporal, which can be cut. */
  temporal: Pick<TcpProxy, 'cut' | 'restore'>;
  /** Starts and restores what a test has ended or cut, and closes receivers, for the files that use the stack after it. */
  heal(): Promise<void>;
}

type Running = Awaited<ReturnType<Service['start']>>;

const manyCalls = '1000000';

const shared = shareFixture(startStack);

/**
 * The stack that the files of one test process share: starting one takes five seconds of a processor. Each visitor has an
 * organization of their own there; a file that kills its processes heals it.
 */
export const useConsoleStack = (): ConsoleStack => useFixture(shared);

async function startStack(): Promise<AsyncDisposable & ConsoleStack> {
  // Ended where the start fails.
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(join(inject('stack').folder, 'waymark-console-'));
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  await buildConsole(() => {});
  const database = starting.use(await createTestDatabase({ isShared: true }));
  const db = createDatabase({ url: database.url, connectTimeoutMs: patientMs });
  starting.defer(() => db.close());
  const mails: string[] = [];
  const smtp = await startMailServer((mail) => void mails.push(mail));
  starting.defer(() => smtp.close());
  const dns = starting.use(await startFakeDns());
  const receivers = createReceivers(folder);
  starting.defer(() => receivers.dispose());
  const [port, edgePort] = await freePorts(2);
  const { address, namespace, taskQueue } = temporalForTest();
  const temporal = starting.use(await createTcpProxy(`http://${address}`));
  const [url, edgeUrl] = [`http://localhost:${port}`, `http://localhost:${edgePort}`];
  const env: NodeJS.ProcessEnv = {
    ...childEnvironment,
    // A busy machine takes longer than a caller may wait.
    DATABASE_URL: `${database.url}?connect_timeout=${patientMs / 1_000}`,
    SECRET_KEY: 'a secret key of at least 32 characters',
    TEMPORAL_ADDRESS: new URL(temporal.url).host,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: taskQueue,
    PORT: String(port),
    BASE_URL: url,
    EDGE_PORT: String(edgePort),
    EDGE_URL: edgeUrl,
    WAYMARK_DATA_DIR: folder,
    RATE_LIMIT_PER_SECOND: manyCalls,
    RATE_LIMIT_PER_MINUTE: manyCalls,
    DNS_SERVERS: dns.address,
    EDGE_HOSTNAME: 'edge.waymark.example',
    SMTP_URL: smtp.url,
    // Receivers of the flows.
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
    WEBHOOK_CA_FILE: receivers.caFile,
    // Staff are shown both.
    TEMPORAL_UI_URL: 'http://localhost:8233',
    SUPPORT_CONTACT: 'mailto:help@example.com',
    LOG_LEVEL: 'warn',
  };
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const log = (): string => lines.slice(-20).join('\n');
  const start = async (service: Service): Promise<Running> => {
    const running = await service.start(new AbortController().signal);
    const died = running.exited.then(() => Promise.reject(new Error(`${service.name} ended:\n${log()}`)));
    died.catch(() => {});
    await Promise.race([running.ready, died]);
    return running;
  };
  /** A process that tests kill and start again. @returns when it serves. */
  const restartable = async (serviceWith: (settings: NodeJS.ProcessEnv) => Service) => {
    let running: Running | undefined;
    let isAsUsual = true;
    const kill = async (): Promise<void> => {
      const killed = running;
      running = undefined;
      await killed?.stop({ hurry: true });
    };
    const begin = async (settings?: NodeJS.ProcessEnv): Promise<void> => {
      if (running !== undefined) return;
      isAsUsual = settings === undefined;
      running = await start(serviceWith(settings ?? {}));
    };
    const heal = async (): Promise<void> => {
      if (!isAsUsual) await kill();
      await begin();
    };
    starting.defer(kill);
    await begin();
    return { kill, begin, heal };
  };
  const [api, worker, edge] = await Promise.all([
    restartable((settings) => productService('api', { env: { ...env, ...settings }, onLine: note })),
    restartable((settings) =>
      productService('worker', { env: { ...env, ...settings }, onLine: note, isBackground: false }),
    ),
    start(productService('edge', { env, onLine: note })),
  ]);
  starting.defer(async () => void (await edge.stop({ hurry: true })));
  const running = starting.move();
  return {
    url,
    edgeUrl,
    db,
    log,
    mails,
    receivers,
    dns,
    killApi: api.kill,
    startApi: api.begin,
    killWorker: worker.kill,
    startWorker: () => worker.begin(),
    temporal,
    async heal() {
      temporal.restore();
      await Promise.all([api.heal(), worker.heal(), receivers.stop()]);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
