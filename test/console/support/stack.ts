import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { buildConsole } from '#scripts/build-console.ts';
import { serverService, workerService } from '#scripts/supervisor/processes.ts';
import type { Service } from '#scripts/supervisor/supervise.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { type FakeDns, startFakeDns } from '#test/support/fake-dns.ts';
import { type Late, readLate } from '#test/support/fixture.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { createReceivers, type Receivers } from '#test/support/receivers.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { startMailServer } from './mail-server.ts';

/** API, edge and worker as `npm start` runs them, with the built console. */
export interface ConsoleStack {
  /** Address of the API: its Origin is that of the console. */
  url: string;
  edgeUrl: string;
  db: Database;
  /** Mails that the worker sent, as they came over SMTP. */
  mails: readonly string[];
  /** Servers of webhooks, whose certificates the worker trusts. */
  receivers: Receivers;
  /** The name server that API and worker ask. */
  dns: FakeDns;
  /** Ends the API by SIGKILL. */
  killApi(): Promise<void>;
  /** Starts the API again at the same address, unless it runs. */
  startApi(): Promise<void>;
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
const setUpMs = 90_000;

/** What ends a stack. */
interface StartedStack {
  stack: ConsoleStack;
  stop(): Promise<void>;
}

let shared: Promise<StartedStack> | undefined;

/**
 * The stack that the files of one test process share: starting one takes five seconds of a processor. Each visitor has an
 * organization of their own there; a file that kills its processes heals it. It ends with the process: its servers notice that
 * their parent is gone.
 */
export function useConsoleStack(): ConsoleStack {
  return useStack(() => (shared ??= startStack({}, { isShared: true })));
}

/** Starts a stack for the tests of one file, which need settings that other files' tests cannot have. */
export function useOwnConsoleStack(settings: Late<NodeJS.ProcessEnv> = {}): ConsoleStack {
  let own: StartedStack | undefined;
  const stack = useStack(async () => (own = await startStack(await readLate(settings), { isShared: false })));
  afterAll(() => own?.stop(), setUpMs);
  return stack;
}

/** @returns a view of the stack that is filled before the tests of the file. */
function useStack(start: () => Promise<StartedStack>): ConsoleStack {
  const stack = {} as ConsoleStack;
  beforeAll(async () => {
    Object.assign(stack, (await start()).stack);
  }, setUpMs);
  return stack;
}

async function startStack(settings: NodeJS.ProcessEnv, { isShared }: { isShared: boolean }): Promise<StartedStack> {
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const folder = mkdtempSync(join(isShared ? inject('stack').folder : tmpdir(), 'waymark-console-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    await buildConsole(() => {});
    const database = await createTestDatabase({ isShared });
    undo.push(() => database[Symbol.asyncDispose]());
    const db = createDatabase({ url: database.url });
    undo.push(() => db.close());
    const mails: string[] = [];
    const smtp = await startMailServer((mail) => void mails.push(mail));
    undo.push(() => smtp.close());
    const dns = await startFakeDns();
    undo.push(() => dns[Symbol.asyncDispose]());
    const receivers = createReceivers(folder);
    undo.push(() => receivers.dispose());
    const [freePort, edgePort] = await freePorts(2);
    const port = settings.PORT ?? freePort;
    const { address, namespace, taskQueue } = temporalForTest();
    const temporal = await createTcpProxy(`http://${address}`);
    undo.push(() => temporal[Symbol.asyncDispose]());
    const [url, edgeUrl] = [`http://localhost:${port}`, `http://localhost:${edgePort}`];
    const env: NodeJS.ProcessEnv = {
      ...childEnvironment,
      DATABASE_URL: database.url,
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
      ...settings,
    };
    const lines: string[] = [];
    const log = { line: (text: string) => void lines.push(text), tail: () => lines.slice(-20) };
    const start = async (service: Service): Promise<Running> => {
      const running = await service.start(new AbortController().signal);
      const died = running.exited.then(() =>
        Promise.reject(new Error(`${service.name} ended:\n${log.tail().join('\n')}`)),
      );
      died.catch(() => {});
      await Promise.race([running.ready, died]);
      return running;
    };
    /** A process that tests kill and start again. @returns when it serves. */
    const restartable = async (service: Service) => {
      let running: Running | undefined = await start(service);
      const kill = async (): Promise<void> => {
        const killed = running;
        running = undefined;
        await killed?.stop({ hurry: true });
      };
      undo.push(kill);
      return { kill, start: async (): Promise<void> => void (running ??= await start(service)) };
    };
    const api = await restartable(serverService('api', env, log));
    const [edge, worker] = await Promise.all([
      start(serverService('edge', env, log)),
      restartable(workerService(env, log)),
    ]);
    undo.push(() => edge.stop({ hurry: true }));
    const stack: ConsoleStack = {
      url,
      edgeUrl,
      db,
      mails,
      receivers,
      dns,
      killApi: api.kill,
      startApi: api.start,
      killWorker: worker.kill,
      startWorker: worker.start,
      temporal,
      async heal() {
        temporal.restore();
        await Promise.all([api.start(), worker.start(), receivers.stop()]);
      },
    };
    return { stack, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
