import { setCurrentDetails } from '@temporalio/workflow';
import type { MailActivities } from '#activities/mails.ts';
import type { RescanActivities } from '#activities/threats/rescan.ts';
import { processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import {
  activitiesOf,
  describeStart,
  failRun,
  mailPolicy,
  noMailServer,
  type Policy,
  requireActivityFailure,
  showInLists,
} from './shared.ts';

/** Which mail: its kind, and the row that it is about. No person is named: only the row leads there. */
interface MailInput {
  mail: keyof typeof mails;
  id: string;
}

/** `mailing`: waits for the mail server. `unsent`: the mail server took it in none of the attempts. */
type MailState = 'mailing' | 'completed' | 'unsent';

/** The workflow that mails a link for a new password. */
export function startOfPasswordReset({ id }: { id: string }): WorkflowStart {
  // A person waits for it.
  return startOf(
    { mail: 'password-reset', id },
    { name: 'password reset', summary: 'Mail a link for a new password', priority: 'awaited' },
  );
}

/** The workflow that mails a person what happened to their account. */
export function startOfAccountNotice({ id }: { id: string }): WorkflowStart {
  return startOf(
    { mail: 'account-notice', id },
    { name: 'account notice', summary: 'Tell a person what happened to their account' },
  );
}

/** The workflow that writes to an organization's owner, a quarter of a minute later: threats gather into one mail. */
export function startOfThreatMail({ id, name }: { id: string; name: string }): WorkflowStart {
  const organization = processName([name]);
  return startOf(
    { mail: 'threats', id },
    {
      summary: `Tell the owner of ${organization} of new threats`,
      organizationIds: [id],
      name: organization,
      options: { startDelay: '15s' },
    },
  );
}

function startOf(
  input: MailInput,
  draft: Omit<Parameters<typeof describeStart>[0], 'type' | 'id' | 'input' | 'state'>,
): WorkflowStart {
  const id = `${mails[input.mail].prefix}/${input.id}`;
  return describeStart({ type: 'mail', id, input, state: 'mailing' satisfies MailState, ...draft });
}

interface Sent {
  isMailed: boolean;
  /** Others are left. */
  more?: boolean;
}

interface MailKind {
  /** Of its workflow's id. */
  prefix: string;
  send: (id: string) => Promise<Sent>;
  notNeeded: string;
  unsent: string;
}

const mails = {
  'account-notice': {
    prefix: 'account-notice',
    send: (noticeId) => activitiesOf<MailActivities>(mailPolicy, 'Mail the notice').mailAccountNotice({ noticeId }),
    notNeeded: 'Not mailed: the account is gone, or the notice was mailed by an earlier attempt.',
    unsent: 'Not mailed: the mail server took no mail for a day.',
  },
  'password-reset': {
    prefix: 'password-reset',
    send: (resetId) => activitiesOf<MailActivities>(resetPolicy, 'Mail the link').mailPasswordReset({ resetId }),
    notNeeded: 'Not mailed: the link ended before, or was mailed by an earlier attempt.',
    unsent: 'Not mailed: the mail server took no mail while the link worked.',
  },
  threats: {
    prefix: 'threat-mail',
    async send(organizationId) {
      const { tellOfThreats } = activitiesOf<RescanActivities>(mailPolicy, 'Write to the owner');
      return { isMailed: true, ...(await tellOfThreats({ organizationId })) };
    },
    notNeeded: '',
    unsent: 'Not mailed: the mail server took no mail for a day. The next run tries again.',
  },
} satisfies Record<string, MailKind>;

/** For a link that works for an hour: later the mail is of no use. */
const resetPolicy: Policy = {
  ...mailPolicy,
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' },
};

// A choice: a mail lists up to fifty threats; further ones wait for the next workflow.
const maxMails = 100;

/** Sends a mail, or as many as its row asks for, and shows operators how it went. Fails where the mail server took none of them. */
export async function mail({ mail: kind, id }: MailInput): Promise<{ mails: number }> {
  const { send, notNeeded, unsent }: MailKind = mails[kind];
  setCurrentDetails('Mails it, or waits for the mail server.');
  let state: MailState = 'completed';
  let sent = 0;
  try {
    for (let more = true; more && sent < maxMails;) {
      const result = await send(id);
      if (result.isMailed) sent += 1;
      more = result.more ?? false;
    }
    setCurrentDetails(sent === 0 ? notNeeded : `Mailed${sent === 1 ? '' : `: ${sent} mails`}.`);
  } catch (error) {
    requireActivityFailure(error);
    state = 'unsent';
    setCurrentDetails(unsent);
  }
  showInLists({ state, lastError: state === 'unsent' ? noMailServer : null });
  if (state === 'unsent') failRun(unsent, { mails: sent });
  return { mails: sent };
}

// Workflows of 0.1.0 that `mail` has replaced. They stay for runs in progress, a day long at most; nothing starts them any more.

/** Mailed a person what happened to their account. */
export const accountNotice = ({ noticeId }: { noticeId: string }) => mail({ mail: 'account-notice', id: noticeId });
/** Mailed a link for a new password. */
export const passwordReset = ({ resetId }: { resetId: string }) => mail({ mail: 'password-reset', id: resetId });
/** Mailed new threats to the owner of an organization. */
export const threatMail = ({ organizationId }: { organizationId: string }) =>
  mail({ mail: 'threats', id: organizationId });
