import { createWords } from '#console/i18n/words.ts';
import type { processKinds, processStatuses } from './search.ts';

const en = {
  kinds: {
    webhook: 'Webhook',
    domain: 'Domain',
    importLinks: 'Import',
    undoImport: 'Undo of an import',
    threatScan: 'Scan of new addresses',
    threatRescan: 'Rescan of addresses',
    threatLists: 'Lists of threats',
    threatMail: 'Mail about threats',
    linkReport: 'Report of a link',
    frameCheck: 'Check of frames',
    invitation: 'Invitation',
    passwordReset: 'New password',
    deleteLink: 'Deletion of links',
    deleteDomain: 'Deletion of a domain',
    deleteFolder: 'Deletion of a folder',
    deleteOrganization: 'Deletion of an organization',
    housekeeping: 'Housekeeping',
  } satisfies Record<(typeof processKinds)[number], string>,
  statuses: {
    running: 'Runs',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
    terminated: 'Terminated',
    timed_out: 'Timed out',
    continued_as_new: 'Continued',
  } satisfies Record<(typeof processStatuses)[number], string>,
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
    threatMail: 'Mail über Bedrohungen',
    linkReport: 'Meldung eines Links',
    frameCheck: 'Prüfung von Rahmen',
    invitation: 'Einladung',
    passwordReset: 'Neues Passwort',
    deleteLink: 'Löschung von Links',
    deleteDomain: 'Löschung einer Domain',
    deleteFolder: 'Löschung eines Ordners',
    deleteOrganization: 'Löschung einer Organisation',
    housekeeping: 'Aufräumen',
  },
  statuses: {
    running: 'Läuft',
    completed: 'Abgeschlossen',
    failed: 'Gescheitert',
    cancelled: 'Abgebrochen',
    terminated: 'Beendet',
    timed_out: 'Zeit abgelaufen',
    continued_as_new: 'Fortgesetzt',
  },
};

/** Names of the kinds of processes, and of how Temporal has them. */
export const useProcessNames = createWords({ en, de });
