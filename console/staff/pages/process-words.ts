import { createWords } from '#console/i18n/words.ts';
import type { ProcessView } from '#core/temporal/views.ts';
import type { RunStatus } from '#core/temporal/run-status.ts';
import type { processKinds } from '#console/staff/search.ts';

const en = {
  kinds: {
    webhook: 'Webhook',
    domain: 'Domain',
    importLinks: 'Import',
    undoImport: 'Undo of an import',
    threatScan: 'Scan of new addresses',
    threatRescan: 'Rescan of addresses',
    threatLists: 'Lists of threats',
    linkReport: 'Report of a link',
    frameCheck: 'Check of frames',
    invitation: 'Invitation',
    mail: 'Mail',
    deleteLink: 'Deletion of links',
    deleteDomain: 'Deletion of a domain',
    deleteFolder: 'Deletion of a folder',
    deleteOrganization: 'Deletion of an organization',
    housekeeping: 'Housekeeping',
    moveClicks: 'Move of clicks',
    warehouseExport: 'Export for warehouses',
  } satisfies Record<(typeof processKinds)[number], string>,
  statuses: {
    running: 'Runs',
    paused: 'Paused',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
    terminated: 'Terminated',
    timed_out: 'Timed out',
    continued_as_new: 'Continued',
  } satisfies Record<RunStatus, string>,
  views: {
    failingWebhooks: 'Failing webhooks',
    waitingDomains: 'Domains that wait',
    lockedDeletions: 'Deletions that wait for a lock',
    late: 'Due and late',
    failed: 'Failed',
    paused: 'Paused',
  } satisfies Record<ProcessView, string>,
  next: (step: string, when: string) => `next: ${step.replace(/^next /, '')} ${when}`,
};

const de: typeof en = {
  kinds: {
    webhook: 'Webhook',
    domain: 'Domain',
    importLinks: 'Importieren',
    undoImport: 'Rücknahme eines Imports',
    threatScan: 'Prüfung neuer Adressen',
    threatRescan: 'Erneute Prüfung von Adressen',
    threatLists: 'Listen von Bedrohungen',
    linkReport: 'Meldung eines Links',
    frameCheck: 'Prüfung von Rahmen',
    invitation: 'Einladung',
    mail: 'E-Mail',
    deleteLink: 'Löschung von Links',
    deleteDomain: 'Löschung einer Domain',
    deleteFolder: 'Löschung eines Ordners',
    deleteOrganization: 'Löschung einer Organisation',
    housekeeping: 'Aufräumen',
    moveClicks: 'Umzug von Klicks',
    warehouseExport: 'Export für Warehouses',
  },
  statuses: {
    running: 'Läuft',
    paused: 'Angehalten',
    completed: 'Abgeschlossen',
    failed: 'Gescheitert',
    cancelled: 'Abgebrochen',
    terminated: 'Beendet',
    timed_out: 'Zeit abgelaufen',
    continued_as_new: 'Fortgesetzt',
  },
  views: {
    failingWebhooks: 'Scheiternde Webhooks',
    waitingDomains: 'Wartende Domains',
    lockedDeletions: 'Löschungen, die auf eine Sperre warten',
    late: 'Fällig und verspätet',
    failed: 'Gescheitert',
    paused: 'Angehalten',
  },
  next: (step, when) => `als Nächstes: ${step} ${when}`,
};

/** Names of the kinds of processes, and of how Temporal has them. */
export const useProcessNames = createWords({ en, de });
