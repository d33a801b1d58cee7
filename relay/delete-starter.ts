import type { Client } from '@temporalio/client';
import {
  domainIdKey,
  linkIdKey,
  nameKey,
  organizationIdKey,
  processName,
  stateKey,
} from '#core/lib/search-attributes.ts';
import type { DeletionKind, DeletionTarget } from '#db/deletions/deletions.ts';
import type { deleteDomain } from '#workflows/delete-domain.ts';
import type { deleteFolder } from '#workflows/delete-folder.ts';
import type { deleteLink } from '#workflows/delete-link.ts';
import type { deleteOrganization } from '#workflows/delete-organization.ts';
import type { DeleteInput, DeleteState } from '#workflows/deletions.ts';

/** Starts the workflow of a deletion; one that is running goes on. */
export type StartDelete = (target: DeletionTarget) => Promise<void>;

/** Settings of `createDeleteStarter`. */
export interface DeleteStarterOptions {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}

type DeleteWorkflow = typeof deleteLink | typeof deleteDomain | typeof deleteFolder | typeof deleteOrganization;

const workflows: Record<DeletionKind, { type: DeleteWorkflow['name']; prefix: string }> = {
  links: { type: 'deleteLink', prefix: 'delete-link' },
  domain: { type: 'deleteDomain', prefix: 'delete-domain' },
  folder: { type: 'deleteFolder', prefix: 'delete-folder' },
  organization: { type: 'deleteOrganization', prefix: 'delete-organization' },
};
const state: DeleteState = 'telling';

/** Makes the function that starts a deletion, one workflow for each, which operators find by what it is about. */
export function createDeleteStarter({ client, taskQueue, timeoutMs = 5_000 }: DeleteStarterOptions): StartDelete {
  return async ({ id, kind, organizationId, links, linkIds, names }) => {
    const { type, prefix } = workflows[kind];
    const input: DeleteInput = { purgeId: id, links };
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.start<DeleteWorkflow>(type, {
        workflowId: `${prefix}/${id}`,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A worker that died in the middle of a decision is not waited for longer than this.
        workflowTaskTimeout: '3s',
        staticSummary: summarize(kind, links, names),
        typedSearchAttributes: [
          { key: organizationIdKey, value: [organizationId] },
          { key: stateKey, value: state },
          ...(names.length > 0 ? [{ key: nameKey, value: nameOf(kind, links, names) }] : []),
          ...(kind === 'domain' ? [{ key: domainIdKey, value: [id] }] : []),
          ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
        ],
      }),
    );
  };
}

function nameOf(kind: DeletionKind, links: number, names: readonly string[]): string {
  return kind === 'links' ? processName(names, links) : processName(names);
}

/** `names` is empty where nothing is left to be named. */
function summarize(kind: DeletionKind, links: number, names: readonly string[]): string {
  const count = links === 1 ? '1 link' : `${links} links`;
  const name = names.length === 0 ? '' : nameOf(kind, links, names);
  if (kind === 'links') return name === '' ? `Delete ${count}` : `Delete ${count}: ${name}`;
  if (kind === 'folder') return name === '' ? 'Delete a folder' : `Delete the folder ${name}`;
  return `Delete the ${kind} ${name === '' ? '' : `${name} `}with ${count}`;
}
