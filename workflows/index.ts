// Running workflows replay this code: a changed order of commands needs `patched()` (docs/recipes/change-a-workflow.md).

export { accountNotice } from './mail/account-notice.ts';
export { deleteDomain, deleteFolder, deleteLink, deleteOrganization } from './deletions.ts';
export { domain } from './domain.ts';
export { frameCheck } from './frame-check.ts';
export { housekeeping } from './housekeeping.ts';
export { importLinks } from './import-links.ts';
export { invitation } from './mail/invitation.ts';
export { linkReport } from './link-report.ts';
export { passwordReset } from './mail/password-reset.ts';
export { clickRetention, fileSweep, visitorKeys } from './retired.ts';
export { threatLists } from './threat-lists.ts';
export { threatMail } from './mail/threat-mail.ts';
export { threatRescan } from './threat-rescan.ts';
export { threatScan } from './threat-scan.ts';
export { undoImport } from './undo-import.ts';
export { webhook } from './webhook.ts';
