import { condition, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { MailActivities } from '#activities/mails.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import {
  activitiesOf,
  describeStart,
  isHistoryLong,
  isVersionOld,
  type ListedRow,
  mailPolicy,
  moveOn,
  noMailServer,
  requireActivityFailure,
  showInLists,
} from './shared.ts';

/** The workflow that mails an invitation and ends it. It names no person: only the row leads there. */
export function startOfInvitation({ id, organizationId }: { id: string; organizationId: string }): WorkflowStart {
  const input: InvitationInput = { invitationId: id };
  return describeStart({
    type: 'invitation',
    id: `invitation/${id}`,
    input,
    signal: wake.name,
    summary: 'Mail an invitation, and end it after a week',
    organizationIds: [organizationId],
    state: 'open' satisfies InvitationState,
  });
}

interface InvitationInput {
  invitationId: string;
}

/** `open`: mailed, or about to be; `unsent`: the mail server took it in none of the attempts of a day; `completed`: it has ended. */
type InvitationState = 'open' | 'unsent' | 'completed';

const wake = defineSignal('wake');

// A look is about nine events of the history, and anybody may ask for mails again and again.
const maxHistoryLength = 500;
const retryUnsentMs = 86_400_000;

/**
 * Follows an invitation until it ends: mails it, and ends it when its time is over. The row is the truth; a signal asks to look at it
 * again: it was accepted, taken back, or is to be mailed again.
 */
export async function invitation(input: InvitationInput): Promise<void> {
  let isWoken = true;
  setHandler(wake, () => void (isWoken = true), { description: 'Look at the invitation again.' });
  const { lookAtInvitation } = activitiesOf<MailActivities>(mailPolicy, 'Mail the invitation, or end it');
  for (;;) {
    isWoken = false;
    let openForMs: number | undefined;
    setCurrentDetails('Mails the invitation, or waits for the mail server.');
    try {
      ({ openForMs } = await lookAtInvitation(input));
      if (openForMs === undefined) break;
      list('open', { nextStep: 'its end', openForMs });
      setCurrentDetails('Mailed; waits until it is accepted, taken back, or its time is over.');
    } catch (error) {
      requireActivityFailure(error);
      setCurrentDetails('Not mailed: the mail server took no mail for a day. Send it again, or take it back.');
      openForMs = retryUnsentMs;
      list('unsent', { lastError: noMailServer, nextStep: 'send it again', openForMs });
    }
    if (isHistoryLong(maxHistoryLength) || isVersionOld()) await moveOn<typeof invitation>(input);
    // A moment later than its end, so that the look finds it over.
    await condition(() => isWoken, openForMs + 1_000, { summary: 'Until its end, or the next attempt' });
  }
  setCurrentDetails('Ended: accepted, taken back, or over.');
  list('completed');
}

function list(
  state: InvitationState,
  { openForMs, ...row }: Omit<ListedRow, 'state'> & { openForMs?: number } = {},
): void {
  const nextAt = openForMs === undefined ? null : new Date(Date.now() + openForMs).toISOString();
  showInLists({ state, ...row, nextAt });
}
