import { processViews, type ProcessView } from '#core/temporal/views.ts';
import { auditCallers, type AuditCaller } from '#core/audit/audit.ts';
import { type DayRange, dayParameters } from '#console/app/days.ts';
import { type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of every list of the staff. */
export interface StaffListSearch {
  q?: string;
  /** Id of an organization. */
  org?: string;
}

export const staffListParameters: Parameters<StaffListSearch> = { q: textParameter, org: textParameter };

/** Parameters of /staff/webhooks. */
export interface StaffWebhooksSearch extends StaffListSearch {
  show?: 'failing';
}

export const staffWebhooksParameters: Parameters<StaffWebhooksSearch> = {
  ...staffListParameters,
  show: wordParameter(['failing']),
};

/** Dialogs over the page of an organization. */
const organizationDialogs = ['suspend', 'view', 'delete'] as const;

/** Parameters of /staff/organizations/<id>. */
export interface OrganizationSearch {
  do?: (typeof organizationDialogs)[number];
}

export const organizationParameters: Parameters<OrganizationSearch> = { do: wordParameter(organizationDialogs) };

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
export const processStatuses = [
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
  'continued_as_new',
] as const;

/** Parameters of /staff/processes. */
export interface ProcessesSearch extends StaffListSearch {
  process?: (typeof processKinds)[number];
  run?: (typeof processStatuses)[number];
  step?: string;
  show?: ProcessView;
  ofLink?: string;
  ofDomain?: string;
  ofWebhook?: string;
}

export const processesParameters: Parameters<ProcessesSearch> = {
  ...staffListParameters,
  process: wordParameter(processKinds),
  run: wordParameter(processStatuses),
  step: textParameter,
  show: wordParameter(processViews),
  ofLink: textParameter,
  ofDomain: textParameter,
  ofWebhook: textParameter,
};

/** Parameters of /staff/audit. */
export interface StaffAuditSearch extends StaffListSearch, DayRange {
  caller?: AuditCaller;
}

export const staffAuditParameters: Parameters<StaffAuditSearch> = {
  ...staffListParameters,
  caller: wordParameter(auditCallers),
  ...dayParameters,
};

/** Parameters of /staff/reports. */
export interface ReportsSearch extends StaffListSearch {
  show?: 'all';
}

export const reportsParameters: Parameters<ReportsSearch> = { ...staffListParameters, show: wordParameter(['all']) };

/** Parameters of /staff/people. */
export interface PeopleSearch extends StaffListSearch {
  /** Id of the person whose organizations and browsers are shown. */
  id?: string;
}

export const staffPeopleParameters: Parameters<PeopleSearch> = { ...staffListParameters, id: textParameter };
