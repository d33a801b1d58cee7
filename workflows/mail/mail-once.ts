import { ActivityFailure, isCancellation, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { stateKey } from '#core/temporal/search-attributes.ts';

/** `mailing`: waits for the mail server. `unsent`: the mail server took it in none of the attempts. */
export type MailState = 'mailing' | 'completed' | 'unsent';

/** Sends one mail, and shows operators how it went. @param send the activity; its policy says how long it is tried. */
export async function mailOnce(
  send: () => Promise<{ isMailed: boolean }>,
  texts: { begins: string; notNeeded: string; unsent: string },
): Promise<{ isMailed: boolean }> {
  setCurrentDetails(texts.begins);
  let state: MailState = 'completed';
  let isMailed = false;
  try {
    ({ isMailed } = await send());
    setCurrentDetails(isMailed ? 'Mailed.' : texts.notNeeded);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    state = 'unsent';
    setCurrentDetails(texts.unsent);
  }
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { isMailed };
}
