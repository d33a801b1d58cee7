// Running workflows replay this code: a changed order of commands needs `patched()` (docs/recipes/change-a-workflow.md).

export { deleteDomain, deleteFolder, deleteLink, deleteOrganization } from './deletions.ts';
export { domain } from './domain.ts';
export { frameCheck } from './frame-check.ts';
export { housekeeping } from './housekeeping.ts';
export { importLinks, undoImport } from './imports.ts';
export { invitation } from './invitation.ts';
export { linkReport } from './link-report.ts';
export { accountNotice, mail, passwordReset, threatMail } from './mail.ts';
export { moveClicks } from './clicks/move-clicks.ts';
export { threatLists } from './threats/lists.ts';
export { threatRescan } from './threats/rescan.ts';
export { threatScan } from './threats/scan.ts';
export { warehouseExport } from './clicks/warehouse-export.ts';
export { webhook } from './webhook.ts';
