import { listImportTargets, requeueOverdueImports } from '#db/imports/imports.ts';
import type { StartImport } from './import-starter.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createTrackedRelay } from './tracked.ts';

/** What `createImportRelay` is built from; the times are for tests. */
export interface ImportRelayOptions extends RelayPartOptions {
  startImport: StartImport;
}

/** Starts the part of the relay that begins imports. */
export function createImportRelay({ startImport, ...options }: ImportRelayOptions): RelayPart {
  return createTrackedRelay({
    ...options,
    kind: 'import',
    noun: 'imports',
    listTargets: listImportTargets,
    start: startImport,
    requeueOverdue: requeueOverdueImports,
  });
}
