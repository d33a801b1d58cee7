import type { Client, WorkflowHandle } from '@temporalio/client';
import { createDomainActivities } from '#activities/domains/domains.ts';
import { createDomainDns } from '#adapters/dns/dns.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createDomain } from '#commands/domains/domains.ts';
import type { DomainDns } from '#core/domains/dns.ts';
import type { DomainSchedule } from '#core/domains/schedule.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import type { domain, DomainStatus } from '#workflows/domain.ts';
import { domainStatusQuery } from '#workflows/domain.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { testSite } from './api.ts';
import { eventually } from './eventually.ts';
import { createOrganization, type TestOrganization } from './factories.ts';
import { type FakeDns, startFakeDns } from './fake-dns.ts';
import { relayContext } from './relay.ts';
import { createTestDatabase, patientMs, temporalForTest } from './stack.ts';
import { silent, startWorkerOf } from './test-worker.ts';

/** A domain's row, as tests look at it. */
export interface DomainRow {
  isVerified: boolean;
  isPrimary: boolean;
  failedChecks: number;
  lastCheckedAt: Date | null;
  nextCheckAt: Date;
  updatedAt: Date;
}

/** A domain of the tests. */
export interface TestDomain {
  id: string;
  domain: string;
  txtRecord: string;
  organizationId: string;
}

/** Relay, worker and DNS server that check domains, in one process. */
export interface DomainStack extends AsyncDisposable {
  db: Database;
  dns: FakeDns;
  /** As the worker asks; its `check` may be replaced. */
  domainDns: DomainDns;
  client: Client;
  taskQueue: string;
  relay: RelayPart;
  /** Stops the worker: workflows no longer answer. */
  stopWorker(): Promise<void>;
  /** Adds a domain as the API does, and wakes the relay. */
  add(options?: { organization?: TestOrganization; name?: string }): Promise<TestDomain>;
  /** Publishes a domain's TXT record. */
  publish(domain: TestDomain): void;
  row(id: string): Promise<DomainRow>;
  handle(id: string): WorkflowHandle<typeof domain>;
  status(id: string): Promise<DomainStatus>;
  /** Waits until the status that a workflow reports is right. */
  until(id: string, isRight: (status: DomainStatus) => boolean): Promise<DomainStatus>;
}

/** A schedule in which hours are tens of milliseconds; a young domain stays so. */
export const quickSchedule: DomainSchedule = {
  firstGapsMs: [100, 150],
  youngGapMs: 200,
  youngForMs: 3_600_000,
  settledGapMs: 150,
};

let counter = 0;

/** Starts the stack on a database of its own or on an existing one. */
export async function startDomainStack({
  schedule = quickSchedule,
  databaseUrl,
}: { schedule?: DomainSchedule; databaseUrl?: string } = {}): Promise<DomainStack> {
  await using starting = new AsyncDisposableStack();
  const url = databaseUrl ?? starting.use(await createTestDatabase()).url;
  const db = starting.adopt(createDatabase({ url, connectTimeoutMs: patientMs }), (pool) => pool.close());
  const dns = starting.use(await startFakeDns());
  const domainDns = createDomainDns({ servers: [dns.address], timeoutMs: 1_000, graceMs: 50 });
  const activities = createDomainActivities({ em: emOf(db), domainDns, log: silent, schedule, random: () => 0 });
  const worker = await startWorkerOf(temporalForTest(), () => activities, { names: ['workflows'] });
  let isStopped = false;
  const stopWorker = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await worker[Symbol.asyncDispose]();
  };
  starting.defer(stopWorker);
  const { client, taskQueue } = worker;
  const relay = createKindDispatcher('domain', relayContext({ db, startWorkflow: createStartWorkflow(worker) }));
  starting.defer(() => relay.stop());
  const resources = starting.move();
  const handle = (id: string): WorkflowHandle<typeof domain> => client.workflow.getHandle(`domain/${id}`);
  const status = (id: string): Promise<DomainStatus> => handle(id).query(domainStatusQuery);

  return {
    db,
    dns,
    domainDns,
    client,
    taskQueue,
    relay,
    stopWorker,
    async add({ organization, name = `entity${(counter += 1)}.customer.example` } = {}) {
      const { id: organizationId } = organization ?? (await createOrganization(db));
      const actor = { organizationId, plan: 'premium' } as Parameters<typeof createDomain>[1];
      const now = new Date();
      const { id } = await emOf(db).transactional((em) => createDomain(em, actor, name, { site: testSite, now }));
      relay.wake();
      const { rows } = await db.query<{ txtRecord: string }>(
        'select txt_record as "txtRecord" from domains where id = $1',
        [id],
      );
      return { id, domain: name, organizationId, txtRecord: rows[0]!.txtRecord };
    },
    publish: ({ domain: name, txtRecord }) => dns.set(`_waymark.${name}`, { TXT: [txtRecord] }),
    async row(id) {
      const { rows } = await db.query<DomainRow>(
        `select is_verified as "isVerified", is_primary as "isPrimary", failed_checks as "failedChecks",
           last_checked_at as "lastCheckedAt", next_check_at as "nextCheckAt", updated_at as "updatedAt"
         from domains where id = $1`,
        [id],
      );
      return rows[0]!;
    },
    handle,
    status,
    until: (id, isRight) => eventually(() => status(id).catch(() => none), isRight),
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  };
}

// Status of a domain whose workflow has not started.
const none: DomainStatus = {
  state: 'unverified',
  checks: 0,
  failedChecks: 0,
  checkedAt: null,
  found: [],
  nextAt: null,
};
