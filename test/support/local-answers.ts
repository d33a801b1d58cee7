import type { FindLocalAnswers } from '#commands/threats/local-answers.ts';
import { noLocalAnswers } from '#core/threats/answer.ts';

/** Of an installation whose scanner knows nothing by itself. */
export const findNoLocalAnswers: FindLocalAnswers = async () => noLocalAnswers;
