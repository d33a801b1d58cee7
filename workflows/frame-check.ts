import {
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { FrameActivities, FrameAnswers } from '#activities/links/frames.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { detailsOf, framePolicy } from './policies.ts';
import { frameCheckSignal } from './starts.ts';

/** Which cloaked link. */
export interface FrameCheckInput {
  linkId: string;
}

/** `unanswered`: some destinations gave no answer; the link stays as it was for them. */
export type FrameCheckState = 'asking' | 'completed' | 'unanswered';

/** Reads what the destinations have answered so far. */
export const frameCheckStatusQuery = defineQuery<FrameAnswers>('status');

const ask = defineSignal(frameCheckSignal);

// Choices: a site may be down for a moment.
const retryAfter = ['1 minute', '10 minutes'] as const;

/**
 * Asks the destinations of a cloaked link whether they may be shown in a frame, and again where one gives no answer. A signal
 * says that the link has changed: then it begins anew.
 */
export async function frameCheck({ linkId }: FrameCheckInput): Promise<FrameAnswers> {
  let answers: FrameAnswers = { asked: 0, refused: 0, unanswered: 0 };
  let isChanged = true;
  setHandler(frameCheckStatusQuery, () => answers, {
    description: 'How many destinations were asked and what they said.',
  });
  setHandler(
    ask,
    () => {
      isChanged = true;
    },
    { description: 'The link has changed: ask its destinations again.' },
  );
  const { askForFrames } = proxyActivities<FrameActivities>({ ...framePolicy, summary: 'Ask the destinations' });
  for (let retries = 0; ; retries += 1) {
    if (isChanged) retries = 0;
    isChanged = false;
    answers = await askForFrames({ linkId });
    setCurrentDetails(describe(answers));
    if (isChanged) continue;
    const wait = retryAfter[retries];
    if (answers.unanswered === 0 || wait === undefined) break;
    await condition(() => isChanged, wait);
  }
  const state: FrameCheckState = answers.unanswered === 0 ? 'completed' : 'unanswered';
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return answers;
}

function describe({ asked, refused, unanswered }: FrameAnswers): string {
  return detailsOf([
    `- destinations asked: ${asked}`,
    `- refuse frames, so that visitors are redirected: ${refused}`,
    `- gave no answer, so that nothing changes: ${unanswered}`,
  ]);
}
