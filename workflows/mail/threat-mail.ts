import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RescanActivities } from '#activities/threats/rescan.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { mailPolicy } from '#workflows/policies.ts';

/** The organization whose owner gets the mail. */
export interface ThreatMailInput {
  organizationId: string;
}

/** `telling`: a mail is written, or waits for the mail server. */
export type ThreatMailState = 'telling' | 'completed';

// A choice: each mail lists up to fifty threats; further ones wait for the next workflow.
const maxMails = 100;

/** Mails new threats to the owner of an organization, in as few mails as possible. */
export async function threatMail({ organizationId }: ThreatMailInput): Promise<{ mails: number }> {
  const { tellOfThreats } = proxyActivities<RescanActivities>({ ...mailPolicy, summary: 'Write to the owner' });
  setCurrentDetails('Writes to the owner, or waits for the mail server.');
  let mails = 0;
  for (let more = true; more && mails < maxMails; mails += 1) ({ more } = await tellOfThreats({ organizationId }));
  // Another workflow may have mailed all of them just before: then no mail was written.
  setCurrentDetails(`Done. Mails written: ${mails} at most.`);
  const state: ThreatMailState = 'completed';
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { mails };
}
