import { type RunStatus, runStatuses } from '#core/temporal/run-status.ts';
import { processViews } from '#core/temporal/views.ts';
import { auditCallers } from '#core/audit/audit.ts';
import { dayParameters } from '#console/app/days.ts';
import { type SearchOf, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of every list of the staff; `org` is the id of an organization. */
export const staffListParameters = { q: textParameter, org: textParameter };
export type StaffListSearch = SearchOf<typeof staffListParameters>;

/** Parameters of /staff/webhooks. */
export const staffWebhooksParameters = { ...staffListParameters, show: wordParameter(['failing']) };
export type StaffWebhooksSearch = SearchOf<typeof staffWebhooksParameters>;

/** Parameters of /staff/organizations/<id>: the dialog over the page. */
export const organizationParameters = { do: wordParameter(['suspend', 'view', 'delete']) };
export type OrganizationSearch = SearchOf<typeof organizationParameters>;

/** Kinds of processes, as Temporal names them. */
export const processKinds = [
  'webhook',
  'domain',
  'importLinks',
  'undoImport',
  'threatScan',
  'threatRescan',
  'threatLists',
  'linkReport',
  'frameCheck',
  'invitation',
  'mail',
  'deleteLink',
  'deleteDomain',
  'deleteFolder',
  'deleteOrganization',
  'housekeeping',
  'moveClicks',
  'warehouseExport',
] as const;

/** How Temporal has a process. */
export const processStatuses = Object.keys(runStatuses) as RunStatus[];

/** Parameters of /staff/processes. */
export const processesParameters = {
  ...staffListParameters,
  process: wordParameter(processKinds),
  run: wordParameter(processStatuses),
  step: textParameter,
  show: wordParameter(processViews),
  ofLink: textParameter,
  ofDomain: textParameter,
  ofWebhook: textParameter,
};
export type ProcessesSearch = SearchOf<typeof processesParameters>;

/** Parameters of /staff/audit. */
export const staffAuditParameters = { ...staffListParameters, caller: wordParameter(auditCallers), ...dayParameters };
export type StaffAuditSearch = SearchOf<typeof staffAuditParameters>;

/** Parameters of /staff/reports. */
export const reportsParameters = { ...staffListParameters, show: wordParameter(['all']) };
export type ReportsSearch = SearchOf<typeof reportsParameters>;

/** Parameters of /staff/people; `id` is that of the person whose organizations and browsers are shown. */
export const staffPeopleParameters = { ...staffListParameters, id: textParameter };
export type PeopleSearch = SearchOf<typeof staffPeopleParameters>;
