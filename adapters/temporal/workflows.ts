import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import { AppError, invalid } from '#core/errors/errors.ts';
import {
  displayNameKey,
  domainIdKey,
  lastErrorKey,
  linkIdKey,
  nextAtKey,
  nextStepKey,
  organizationIdKey,
  stateKey,
  webhookIdKey,
} from '#core/temporal/search-attributes.ts';
import { type ProcessView, processViews, queryOf, viewTitles } from '#core/temporal/views.ts';
import { type RunStatus, runStatuses } from '#core/temporal/run-status.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { grpcErrorOf } from './client.ts';
import { createStartWorkflow } from './start.ts';

/** A run of a workflow, as operators find it in Temporal. */
interface WorkflowRun {
  id: string;
  runId: string;
  /** What kind of process it is: `webhook`. */
  type: string;
  /** How Temporal has it: `running`, `completed`, `failed`, … */
  status: string;
  /** What it is about, what it does, and what comes next, by its search attributes; null where it has none. */
  displayName: string | null;
  state: string | null;
  nextStep: string | null;
  nextAt: Date | null;
  /** What went wrong last: by its search attribute, else the failure of an activity that is tried again. */
  lastError: string | null;
  /** Its static summary. */
  summary: string | null;
  organizationIds: string[];
  startedAt: Date;
  closedAt: Date | null;
  /** Its page in the Temporal UI; null where no address of that is known. */
  url: string | null;
}

interface WorkflowQuery {
  organizationId?: string | undefined;
  linkId?: string | undefined;
  domainId?: string | undefined;
  webhookId?: string | undefined;
  /** The kind of process: `webhook`. */
  type?: string | undefined;
  /** How Temporal has them. */
  status?: RunStatus | undefined;
  /** Their search attribute `state`. */
  state?: string | undefined;
  view?: ProcessView | undefined;
  /** What their ids begin with. */
  idPrefix?: string | undefined;
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  limit: number;
}

/** How many runs a view lists, and its page in the Temporal UI; null where no address of that is known. */
interface CountedView {
  id: ProcessView;
  count: number;
  url: string | null;
}

/** The workflows of this installation, as Temporal has them. */
export type Workflows = ReturnType<typeof createWorkflows>;

interface WorkflowsOptions {
  client: Client;
  namespace: string;
  /** Only what runs on it is Waymark's. */
  taskQueue: string;
  /** Address of the Temporal UI, without a slash at its end. */
  uiUrl?: string | undefined;
  timeoutMs?: number;
}

// UNKNOWN and INVALID_ARGUMENT: a server answers them to a page token that it cannot read.
const tokenRefusals = new Set([2, 3]);
const describedAtOnce = 8;

export function createWorkflows({ client, namespace, taskQueue, uiUrl, timeoutMs = 5_000 }: WorkflowsOptions) {
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + timeoutMs, call);
  const startWorkflow = createStartWorkflow({ client, taskQueue, timeoutMs });

  const pages = uiUrl && `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows`;

  /** Temporal's answer. @throws AppError SERVICE_UNAVAILABLE where there is none. */
  async function ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await within(call);
    } catch (error) {
      if (grpcErrorOf(error) === undefined) throw error;
      throw unavailable();
    }
  }

  async function readPage({ view, idPrefix, cursor, limit, ...query }: WorkflowQuery): Promise<Page> {
    const equal = {
      TaskQueue: taskQueue,
      WorkflowType: query.type,
      ExecutionStatus: query.status && runStatuses[query.status],
      [stateKey.name]: query.state,
      [organizationIdKey.name]: query.organizationId,
      [linkIdKey.name]: query.linkId,
      [domainIdKey.name]: query.domainId,
      [webhookIdKey.name]: query.webhookId,
    };
    const conditions = Object.entries(equal).flatMap(([name, value]) =>
      value === undefined ? [] : `${name} = ${quote(value)}`,
    );
    if (view !== undefined) conditions.push(queryOf(view, new Date()));
    if (idPrefix !== undefined) conditions.push(`WorkflowId STARTS_WITH ${quote(idPrefix)}`);
    const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
      namespace,
      pageSize: limit,
      query: conditions.join(' and '),
      ...(cursor === undefined ? {} : { nextPageToken: Buffer.from(cursor, 'base64url') }),
    });
    return {
      runs: executions.map(({ execution }) => ({ id: execution!.workflowId!, runId: execution!.runId! })),
      nextCursor: nextPageToken.length === 0 ? null : Buffer.from(nextPageToken).toString('base64url'),
    };
  }

  /** Reads what Temporal's list lacks, such as summaries. @returns nothing for a run that Temporal has deleted since. */
  async function describe({ id, runId }: Page['runs'][number]): Promise<WorkflowRun[]> {
    try {
      const found = await client.workflow.getHandle(id, runId).describe();
      const { typedSearchAttributes: attributes } = found;
      return [
        {
          id,
          runId,
          type: found.type,
          status: found.status.name.toLowerCase(),
          displayName: attributes.get(displayNameKey) ?? null,
          state: attributes.get(stateKey) ?? null,
          nextStep: attributes.get(nextStepKey) ?? null,
          nextAt: attributes.get(nextAtKey) ?? null,
          lastError: attributes.get(lastErrorKey) ?? failureOf(found.raw.pendingActivities) ?? null,
          summary: (await found.staticSummary()) ?? null,
          organizationIds: attributes.get(organizationIdKey) ?? [],
          startedAt: found.startTime,
          closedAt: found.closeTime ?? null,
          url: pages === undefined ? null : `${pages}/${encodeURIComponent(id)}/${runId}/history`,
        },
      ];
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  }

  return {
    /**
     * Lists runs: open ones first, then the latest that ended.
     * @throws AppError SERVICE_UNAVAILABLE while Temporal cannot be asked, VALIDATION_ERROR for a cursor that is none.
     */
    async list(query: WorkflowQuery): Promise<{ items: WorkflowRun[]; nextCursor: string | null }> {
      try {
        return await within(async () => {
          const { runs, nextCursor } = await readPage(query);
          const described = await pLimit(describedAtOnce).map(runs, describe);
          return { items: described.flat(), nextCursor };
        });
      } catch (error) {
        const refusal = grpcErrorOf(error);
        if (refusal === undefined) throw error;
        if (tokenRefusals.has(refusal.code) && query.cursor !== undefined)
          throw invalid('cursor', 'is not that of a page');
        throw unavailable();
      }
    },
    /** @throws AppError SERVICE_UNAVAILABLE while Temporal cannot be asked. */
    countViews: (): Promise<CountedView[]> =>
      ask(() =>
        Promise.all(
          processViews.map(async (id) => {
            const query = queryOf(id, new Date());
            const { count } = await client.workflow.count(`TaskQueue = ${quote(taskQueue)} and ${query}`);
            // The UI saves the view under this title.
            const parameters = new URLSearchParams({ query, savedQuery: viewTitles[id] });
            return { id, count, url: pages === undefined ? null : `${pages}?${parameters.toString()}` };
          }),
        ),
      ),
    /**
     * Signals a workflow, and starts it first where it does not run.
     * @throws AppError SERVICE_UNAVAILABLE while Temporal cannot be asked.
     */
    signal: (start: WorkflowStart): Promise<void> => ask(() => startWorkflow(start)),
    /** The version of the Temporal server; null while it cannot be asked. */
    async serverVersion(): Promise<string | null> {
      try {
        const { serverVersion } = await within(() => client.workflowService.getSystemInfo({}));
        return serverVersion === '' ? null : serverVersion;
      } catch (error) {
        if (grpcErrorOf(error) === undefined) throw error;
        return null;
      }
    },
  };
}

/** The last failure of activities that are tried again. */
function failureOf(activities: DescribedActivities): string | undefined {
  return activities?.flatMap(({ lastFailure }) => lastFailure?.message ?? []).at(-1);
}

type DescribedActivities = WorkflowExecutionDescription['raw']['pendingActivities'];

// Also where a service that was emptied refuses search attributes, until the worker has registered them again.
function unavailable(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Temporal cannot be asked for the moment; try again shortly.');
}

interface Page {
  runs: { id: string; runId: string }[];
  nextCursor: string | null;
}

/** A string of Temporal's query language, in which a quote is written by a backslash before it. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
