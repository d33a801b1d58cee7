import type { Client } from '@temporalio/client';
import { nameKey, organizationIdKey, processName, stateKey } from '#core/lib/search-attributes.ts';
import type { ImportTarget } from '#db/imports/imports.ts';
import type { ImportInput, importLinks, ImportStatus } from '#workflows/import-links.ts';

/** Starts the workflow of an import; one that is running goes on. */
export type StartImport = (target: ImportTarget) => Promise<void>;

/** Settings of `createImportStarter`. */
export interface ImportStarterOptions {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}

const state: ImportStatus['state'] = 'pending';

/** Makes the function that starts an import, one workflow for each. */
export function createImportStarter({ client, taskQueue, timeoutMs = 5_000 }: ImportStarterOptions): StartImport {
  return async ({ id, organizationId, organization, format, total }) => {
    const name = processName([organization]);
    const input: ImportInput = { importId: id, total };
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.start<typeof importLinks>('importLinks', {
        workflowId: `import/${id}`,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A worker that died in the middle of a decision is not waited for longer than this.
        workflowTaskTimeout: '3s',
        staticSummary: `Import ${total === 1 ? '1 link' : `${total} links`} (${format}) for ${name}`,
        typedSearchAttributes: [
          { key: organizationIdKey, value: [organizationId] },
          { key: nameKey, value: name },
          { key: stateKey, value: state },
        ],
      }),
    );
  };
}
