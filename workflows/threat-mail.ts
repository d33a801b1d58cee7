import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RescanActivities } from '#activities/threats/rescan.ts';
import { stateKey } from '#core/lib/search-attributes.ts';
import { mailPolicy } from './policies.ts';

/** Whose owner is told. */
export interface ThreatMailInput {
  organizationId: string;
}

/** `telling`: a mail is written, or waits for the mail server. */
export type ThreatMailState = 'telling' | 'completed';

// Each mail tells of up to fifty threats; what comes after that many waits for the next workflow.
const maxMails = 100;

/** Tells the owner of an organization of new threats, gathered into as few mails as may be. */
export async function threatMail({ organizationId }: ThreatMailInput): Promise<{ mails: number }> {
  const { tellOfThreats } = proxyActivities<RescanActivities>({ ...mailPolicy, summary: 'Write to the owner' });
  setCurrentDetails('Writes to the owner, or waits for the mail server.');
  let mails = 0;
  for (let more = true; more && mails < maxMails; mails += 1) ({ more } = await tellOfThreats({ organizationId }));
  // Another workflow may have told of all of it just before: then there was no mail.
  setCurrentDetails(`Done. Mails written: ${mails} at most.`);
  const state: ThreatMailState = 'completed';
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { mails };
}
