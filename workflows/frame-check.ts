import { condition, defineQuery, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { FrameActivities, FrameAnswers } from '#activities/links/frames.ts';
import { linkIdKey, processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { activitiesOf, describeStart, detailsOf, goOn, type Policy, showInLists } from './shared.ts';

/** The workflow that asks the destinations of a cloaked link whether they may be shown in a frame. */
export function startOfFrameCheck(link: {
  id: string;
  organizationId: string;
  domain: string;
  slug: string;
}): WorkflowStart {
  const name = processName([`${link.domain}/${link.slug}`]);
  const input: FrameCheckInput = { linkId: link.id };
  return describeStart({
    type: 'frameCheck',
    id: `frame-check/${link.id}`,
    input,
    signal: ask.name,
    summary: `Ask whether ${name} may be shown in a frame`,
    organizationIds: [link.organizationId],
    name,
    attributes: [{ key: linkIdKey, value: [link.id] }],
    state: 'asking' satisfies FrameCheckState,
  });
}

interface FrameCheckInput {
  linkId: string;
}

/** `unanswered`: some destinations gave no answer; the link stays as it was for them. */
type FrameCheckState = 'asking' | 'completed' | 'unanswered';

export const frameCheckStatusQuery = defineQuery<FrameAnswers>('status');

const ask = defineSignal('ask');

/** Asks up to ten web sites, for ten seconds each at most, one after the other. */
const policy: Policy = {
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '1m', maximumAttempts: 5 },
};

// A change of the link is about eight events of the history.
const maxHistoryLength = 500;
// Choices: a site may be down for a moment.
const retryAfter = ['1 minute', '10 minutes'] as const;

/**
 * Asks the destinations of a cloaked link whether they may be shown in a frame, and again where one gives no answer. A signal
 * says that the link has changed: then it begins anew.
 */
export async function frameCheck(input: FrameCheckInput): Promise<FrameAnswers> {
  let answers: FrameAnswers = { asked: 0, refused: 0, unanswered: 0 };
  let isChanged = true;
  setHandler(frameCheckStatusQuery, () => answers, {
    description: 'How many destinations were asked and what they said.',
  });
  setHandler(ask, () => void (isChanged = true), { description: 'The link has changed: ask its destinations again.' });
  const { askForFrames } = activitiesOf<FrameActivities>(policy, 'Ask the destinations');
  for (let retries = 0; ; retries += 1) {
    if (isChanged) {
      retries = 0;
      await goOn<typeof frameCheck>(maxHistoryLength, input);
    }
    isChanged = false;
    answers = await askForFrames(input);
    setCurrentDetails(describe(answers));
    if (isChanged) continue;
    const wait = retryAfter[retries];
    if (answers.unanswered === 0 || wait === undefined) break;
    await condition(() => isChanged, wait, { summary: 'Until destinations without an answer are asked again' });
  }
  const state: FrameCheckState = answers.unanswered === 0 ? 'completed' : 'unanswered';
  const { unanswered } = answers;
  showInLists({ state, lastError: unanswered === 0 ? null : `no answer of ${unanswered} of ${answers.asked}` });
  return answers;
}

function describe({ asked, refused, unanswered }: FrameAnswers): string {
  return detailsOf([
    `- destinations asked: ${asked}`,
    `- refuse frames, so that visitors are redirected: ${refused}`,
    `- gave no answer, so that nothing changes: ${unanswered}`,
  ]);
}
