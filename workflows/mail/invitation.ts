import {
  ActivityFailure,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { InvitationActivities } from '#activities/organizations/invitations.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { mailPolicy } from '#workflows/policies.ts';
import { invitationSignal } from '#workflows/starts.ts';

/** Which invitation, by its row. */
export interface InvitationInput {
  invitationId: string;
}

/** `open`: mailed, or about to be; `unsent`: the mail server took it in none of the attempts of a day; `completed`: it has ended. */
export type InvitationState = 'open' | 'unsent' | 'completed';

const wake = defineSignal(invitationSignal);

/**
 * Follows an invitation until it ends: mails it, and ends it when its time is over. The row is the truth; a signal asks to look at it
 * again: it was accepted, taken back, or is to be mailed again.
 */
export async function invitation(input: InvitationInput): Promise<void> {
  let isWoken = true;
  setHandler(
    wake,
    () => {
      isWoken = true;
    },
    { description: 'Look at the invitation again.' },
  );
  const { lookAtInvitation } = proxyActivities<InvitationActivities>({
    ...mailPolicy,
    summary: 'Mail the invitation, or end it',
  });
  let openForMs: number | undefined = 0;
  while (openForMs !== undefined) {
    isWoken = false;
    setCurrentDetails('Mails the invitation, or waits for the mail server.');
    try {
      const look = await lookAtInvitation(input);
      ({ openForMs } = look);
      if (openForMs === undefined) break;
      upsertSearchAttributes([{ key: stateKey, value: 'open' satisfies InvitationState }]);
      setCurrentDetails('Mailed; waits until it is accepted, taken back, or its time is over.');
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      upsertSearchAttributes([{ key: stateKey, value: 'unsent' satisfies InvitationState }]);
      setCurrentDetails('Not mailed: the mail server took no mail for a day. Send it again, or take it back.');
      openForMs = retryUnsentMs;
    }
    // A moment later than its end, so that the look finds it over.
    await condition(() => isWoken, openForMs + 1_000);
  }
  setCurrentDetails('Ended: accepted, taken back, or over.');
  upsertSearchAttributes([{ key: stateKey, value: 'completed' satisfies InvitationState }]);
}

const retryUnsentMs = 86_400_000;
