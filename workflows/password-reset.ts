import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { PasswordResetActivities } from '#activities/organizations/password-resets.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { resetMailPolicy } from './policies.ts';

/** A request of a new password. */
export interface PasswordResetInput {
  resetId: string;
}

/** `mailing`: the link is mailed, or waits for the mail server. `unsent`: the mail server took it in none of the attempts. */
export type PasswordResetState = 'mailing' | 'completed' | 'unsent';

/** Mails the link by which a person sets a new password, while the link works. */
export async function passwordReset({ resetId }: PasswordResetInput): Promise<{ isMailed: boolean }> {
  const { mailPasswordReset } = proxyActivities<PasswordResetActivities>({
    ...resetMailPolicy,
    summary: 'Mail the link',
  });
  setCurrentDetails('Mails the link, or waits for the mail server.');
  let state: PasswordResetState = 'completed';
  let isMailed = false;
  try {
    ({ isMailed } = await mailPasswordReset({ resetId }));
    setCurrentDetails(isMailed ? 'Mailed.' : 'Not mailed: the link ended before, or was mailed by an earlier attempt.');
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    state = 'unsent';
    setCurrentDetails('Not mailed: the mail server took no mail while the link worked.');
  }
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { isMailed };
}
