// Long: how each kind of workflow is started, so that names, ids, summaries and search attributes of all kinds stand side by side.

import {
  domainIdKey,
  linkIdKey,
  nameKey,
  organizationIdKey,
  processName,
  stateKey,
  webhookIdKey,
} from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { hostOf, scanSummary, summaryHosts } from '#core/threats/scan-summary.ts';
import type { DeleteInput, DeleteState } from './deletions.ts';
import type { DomainInput, DomainState } from './domain.ts';
import type { FrameCheckInput, FrameCheckState } from './frame-check.ts';
import type { ImportInput, ImportStatus } from './import-links.ts';
import type { LinkReportInput, LinkReportState } from './link-report.ts';
import type { InvitationInput, InvitationState } from './mail/invitation.ts';
import type { AccountNoticeInput } from './mail/account-notice.ts';
import type { MailState } from './mail/mail-once.ts';
import type { PasswordResetInput } from './mail/password-reset.ts';
import type { ThreatMailInput, ThreatMailState } from './mail/threat-mail.ts';
import type { ThreatScanInput, ThreatScanState } from './threat-scan.ts';
import type { UndoImportInput, UndoImportStatus } from './undo-import.ts';
import type { WebhookInput, WebhookState } from './webhook.ts';

/**
 * How every workflow is started: its type, id, search attributes, summary and options. Processes that run no workflow import
 * this file and no other of this folder, so it must not import `@temporalio/workflow`.
 */

// Temporal gives a task whose worker has died to another worker after this time, not after ten seconds, its default.
const workflowTaskTimeout = '3s';

/** Signals that a webhook's workflow takes: look at the rows; stop sending; go on. */
export const webhookSignals = { wake: 'wake', pause: 'pause', resume: 'resume' } as const;
/** Messages that a domain's workflow takes: a signal, and an update. */
export const domainMessages = { wake: 'wake', check: 'check' } as const;

/** A webhook, with the host of its address. */
export interface WebhookTarget {
  id: string;
  organizationId: string;
  host: string;
}

/** The workflow of a webhook, one for each. */
export function startOfWebhook(
  { id: webhookId, organizationId, host }: WebhookTarget,
  signal: keyof typeof webhookSignals = 'wake',
): WorkflowStart {
  const input: WebhookInput = { webhookId, organizationId, host };
  return {
    type: 'webhook',
    signal: webhookSignals[signal],
    options: {
      workflowId: `webhook/${webhookId}`,
      args: [input],
      staticSummary: `Webhook to ${host}`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: webhookIdKey, value: webhookId },
        { key: nameKey, value: processName([host]) },
        { key: stateKey, value: 'idle' satisfies WebhookState },
      ],
    },
  };
}

/** A domain, by its name in lower-case punycode. */
export interface DomainTarget {
  id: string;
  organizationId: string;
  domain: string;
}

/** The workflow of a domain, one for each. */
export function startOfDomain({ id: domainId, organizationId, domain }: DomainTarget): WorkflowStart {
  const input: DomainInput = { domainId, organizationId, domain };
  return {
    type: 'domain',
    signal: domainMessages.wake,
    options: {
      workflowId: `domain/${domainId}`,
      args: [input],
      workflowTaskTimeout,
      staticSummary: `Domain ${domain}`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: domainIdKey, value: [domainId] },
        { key: nameKey, value: processName([domain]) },
        { key: stateKey, value: 'unverified' satisfies DomainState },
      ],
    },
  };
}

/** Something deleted: `names` are its first two, and empty where none is left to be read; `linkIds` the first 40. */
interface DeletionTarget {
  id: string;
  kind: keyof typeof deletions;
  organizationId: string;
  links: number;
  linkIds: string[];
  names: string[];
}

const deletions = {
  links: { type: 'deleteLink', prefix: 'delete-link' },
  domain: { type: 'deleteDomain', prefix: 'delete-domain' },
  folder: { type: 'deleteFolder', prefix: 'delete-folder' },
  organization: { type: 'deleteOrganization', prefix: 'delete-organization' },
} as const;

/** The workflow that removes what one call deleted. */
export function startOfDeletion({ id, kind, organizationId, links, linkIds, names }: DeletionTarget): WorkflowStart {
  const { type, prefix } = deletions[kind];
  const input: DeleteInput = { purgeId: id, links };
  const name = names.length === 0 ? '' : kind === 'links' ? processName(names, links) : processName(names);
  return {
    type,
    options: {
      workflowId: `${prefix}/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: deletionSummary(kind, links, name),
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: stateKey, value: 'telling' satisfies DeleteState },
        ...(name === '' ? [] : [{ key: nameKey, value: name }]),
        ...(kind === 'domain' ? [{ key: domainIdKey, value: [id] }] : []),
        ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
      ],
    },
  };
}

function deletionSummary(kind: DeletionTarget['kind'], links: number, name: string): string {
  const count = links === 1 ? '1 link' : `${links} links`;
  if (kind === 'links') return name === '' ? `Delete ${count}` : `Delete ${count}: ${name}`;
  if (kind === 'folder') return name === '' ? 'Delete a folder' : `Delete the folder ${name}`;
  return `Delete the ${kind} ${name === '' ? '' : `${name} `}with ${count}`;
}

/** An uploaded file of links; `organization` is a name. */
interface ImportTarget {
  id: string;
  organizationId: string;
  organization: string;
  format: string;
  total: number;
}

/** The workflow that makes the rows of a file into links. */
export function startOfImport({ id, organizationId, organization, format, total }: ImportTarget): WorkflowStart {
  const name = processName([organization]);
  const input: ImportInput = { importId: id, total };
  return {
    type: 'importLinks',
    options: {
      workflowId: `import/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: `Import ${total === 1 ? '1 link' : `${total} links`} (${format}) for ${name}`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: nameKey, value: name },
        { key: stateKey, value: 'pending' satisfies ImportStatus['state'] },
      ],
    },
  };
}

/** An import whose links are to be removed; `organization` is a name. */
interface UndoTarget {
  id: string;
  organizationId: string;
  organization: string;
  imported: number;
}

/** The workflow that removes the links of an import. */
export function startOfImportUndo({ id, organizationId, organization, imported }: UndoTarget): WorkflowStart {
  const name = processName([organization]);
  const input: UndoImportInput = { importId: id, imported };
  return {
    type: 'undoImport',
    options: {
      workflowId: `import-undo/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: `Undo the import of ${imported === 1 ? '1 link' : `${imported} links`} for ${name}`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: nameKey, value: name },
        { key: stateKey, value: 'undoing' satisfies UndoImportStatus['state'] },
      ],
    },
  };
}

/** A destination whose verdict is wanted; `linkId` or `domainId` leads there. */
interface ScanTarget {
  destinationId: string;
  linkId: string | null;
  domainId: string | null;
  organizationId: string;
  urlHash: string;
  url: string;
}

/**
 * The workflow that looks up to 40 destinations of one organization up. @param scanId a new UUID. @param isBulk no caller waits for the
 * verdicts.
 */
export function startOfScan(
  scanId: string,
  targets: readonly ScanTarget[],
  { isBulk = false }: { isBulk?: boolean } = {},
): WorkflowStart {
  const hosts = summaryHosts(targets.map((target) => target.url));
  const input: ThreatScanInput = {
    destinationIds: distinct(targets.map((target) => target.destinationId)),
    urlHashes: distinct(targets.map((target) => target.urlHash)),
    hosts,
    isBulk,
  };
  return {
    type: 'threatScan',
    options: {
      workflowId: `threat-scan/${scanId}`,
      args: [input],
      // A call of the API may wait for the verdict: the first task comes back with the answer to the start.
      requestEagerStart: !isBulk,
      priority: { priorityKey: isBulk ? 5 : 1, fairnessKey: targets[0]!.organizationId },
      workflowTaskTimeout,
      staticSummary: scanSummary(targets.length, hosts),
      typedSearchAttributes: scanAttributes(targets),
    },
  };
}

function scanAttributes(targets: readonly ScanTarget[]): WorkflowStart['options']['typedSearchAttributes'] {
  const linkIds = distinct(targets.flatMap((target) => target.linkId ?? []));
  const domainIds = distinct(targets.flatMap((target) => target.domainId ?? []));
  return [
    { key: organizationIdKey, value: distinct(targets.map((target) => target.organizationId)) },
    ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
    ...(domainIds.length > 0 ? [{ key: domainIdKey, value: domainIds }] : []),
    { key: nameKey, value: processName(distinct(targets.map(({ url }) => hostOf(url)))) },
    { key: stateKey, value: 'scanning' satisfies ThreatScanState },
  ];
}

/** The workflow that writes to an organization's owner, a quarter of a minute later: threats gather into one mail. */
export function startOfThreatMail({ id: organizationId, name }: { id: string; name: string }): WorkflowStart {
  const organization = processName([name]);
  const input: ThreatMailInput = { organizationId };
  return {
    type: 'threatMail',
    options: {
      workflowId: `threat-mail/${organizationId}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      startDelay: '15s',
      staticSummary: `Tell the owner of ${organization} of new threats`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: nameKey, value: organization },
        { key: stateKey, value: 'telling' satisfies ThreatMailState },
      ],
    },
  };
}

/** The signal that a report's workflow takes: look at the row. */
export const linkReportSignal = 'wake';

/** A link that visitors have reported. */
interface LinkReportTarget {
  id: string;
  organizationId: string;
  linkId: string;
  domain: string;
  slug: string;
}

/** The workflow of reports of a link by visitors, from the first one until staff close them. */
export function startOfLinkReport({ id, organizationId, linkId, domain, slug }: LinkReportTarget): WorkflowStart {
  const name = processName([`${domain}/${slug}`]);
  const input: LinkReportInput = { reportId: id };
  return {
    type: 'linkReport',
    signal: linkReportSignal,
    options: {
      workflowId: `link-report/${id}`,
      args: [input],
      workflowTaskTimeout,
      staticSummary: `Report of the link ${name}`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: linkIdKey, value: [linkId] },
        { key: nameKey, value: name },
        { key: stateKey, value: 'open' satisfies LinkReportState },
      ],
    },
  };
}

/** The signal that a frame check takes: the link has changed, ask again. */
export const frameCheckSignal = 'ask';

/** The workflow that asks the destinations of a cloaked link whether they may be shown in a frame. */
export function startOfFrameCheck(link: {
  id: string;
  organizationId: string;
  domain: string;
  slug: string;
}): WorkflowStart {
  const name = processName([`${link.domain}/${link.slug}`]);
  const input: FrameCheckInput = { linkId: link.id };
  return {
    type: 'frameCheck',
    signal: frameCheckSignal,
    options: {
      workflowId: `frame-check/${link.id}`,
      args: [input],
      workflowTaskTimeout,
      staticSummary: `Ask whether ${name} may be shown in a frame`,
      typedSearchAttributes: [
        { key: organizationIdKey, value: [link.organizationId] },
        { key: linkIdKey, value: [link.id] },
        { key: nameKey, value: name },
        { key: stateKey, value: 'asking' satisfies FrameCheckState },
      ],
    },
  };
}

/** The workflow that mails a link for a new password. It names no person: only the row leads there. */
export function startOfPasswordReset({ id }: { id: string }): WorkflowStart {
  const input: PasswordResetInput = { resetId: id };
  return {
    type: 'passwordReset',
    options: {
      workflowId: `password-reset/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: 'Mail a link for a new password',
      typedSearchAttributes: [{ key: stateKey, value: 'mailing' satisfies MailState }],
    },
  };
}

/** The workflow that mails a person what happened to their account. It names no person: only the row leads there. */
export function startOfAccountNotice({ id }: { id: string }): WorkflowStart {
  const input: AccountNoticeInput = { noticeId: id };
  return {
    type: 'accountNotice',
    options: {
      workflowId: `account-notice/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: 'Tell a person what happened to their account',
      typedSearchAttributes: [{ key: stateKey, value: 'mailing' satisfies MailState }],
    },
  };
}

/** The signal that an invitation's workflow takes: look at the row. */
export const invitationSignal = 'wake';

/** The workflow that mails an invitation and ends it. It names no person: only the row leads there. */
export function startOfInvitation({ id, organizationId }: { id: string; organizationId: string }): WorkflowStart {
  const input: InvitationInput = { invitationId: id };
  return {
    type: 'invitation',
    signal: invitationSignal,
    options: {
      workflowId: `invitation/${id}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      workflowTaskTimeout,
      staticSummary: 'Mail an invitation, and end it after a week',
      typedSearchAttributes: [
        { key: organizationIdKey, value: [organizationId] },
        { key: stateKey, value: 'open' satisfies InvitationState },
      ],
    },
  };
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A workflow that Temporal starts again and again. */
interface ScheduledStart {
  /** Of the schedule; its runs' workflow ids begin with it. */
  id: string;
  workflowType: string;
  everyMs: number;
  /** Shown in the Temporal UI. */
  summary: string;
}

/** The schedule of `threatRescan`. */
export const threatRescanScheduleId = 'threat-rescan';

/** Names as in the configuration. */
interface ScheduleConfig {
  THREAT_RESCAN_PER_DAY: number;
  /** Whether the threat scanner uses lists of hash prefixes. */
  usesThreatLists: boolean;
}

/** The schedule of `threatLists`. */
const threatListsScheduleId = 'threat-lists';

const threatListsSummary = "Bring Web Risk's threat lists up to date";

/** The first update of threat lists, which does not wait for their schedule. @param id a new UUID. */
export function startOfThreatLists(id: string): WorkflowStart {
  return {
    type: 'threatLists',
    options: {
      workflowId: `${threatListsScheduleId}-${id}`,
      args: [],
      workflowTaskTimeout,
      staticSummary: threatListsSummary,
    },
  };
}

/** The schedules of an installation. */
export function schedulesOf(config: ScheduleConfig): ScheduledStart[] {
  return [
    ...(config.usesThreatLists
      ? [
          {
            id: threatListsScheduleId,
            workflowType: 'threatLists',
            // Web Risk recommends about half an hour between changes, and says when: a run asks only where that time has come.
            everyMs: 10 * minuteMs,
            summary: threatListsSummary,
          },
        ]
      : []),
    {
      id: 'housekeeping',
      workflowType: 'housekeeping',
      everyMs: 10 * minuteMs,
      summary: 'Remove what is kept for a time only',
    },
    {
      id: threatRescanScheduleId,
      workflowType: 'threatRescan',
      everyMs: dayMs / config.THREAT_RESCAN_PER_DAY,
      summary: 'Ask again about every address that links and domains lead to',
    },
  ];
}

/** Schedules to delete: schedules of earlier versions, whose work `housekeeping` does, and schedules that the configuration turns off. */
export function retiredScheduleIds({ usesThreatLists }: Pick<ScheduleConfig, 'usesThreatLists'>): string[] {
  return ['file-sweep', 'visitor-keys', 'click-retention', ...(usesThreatLists ? [] : [threatListsScheduleId])];
}
