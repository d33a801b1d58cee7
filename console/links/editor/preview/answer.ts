import type { Decision } from '#core/routing/decide.ts';
import type { usePreviewWords } from './words.ts';

/** A decision as a sentence. */
export function describeDecision(decision: Decision, words: ReturnType<typeof usePreviewWords>): string {
  const { answers } = words;
  switch (decision.kind) {
    case 'redirect':
    case 'cloak':
    case 'elsewhere':
      return answers[decision.kind](decision.location);
    case 'deepLink':
      return answers.deepLink(decision.deepLink, decision.location);
    case 'warning':
      return answers.warning(decision.host);
    case 'preview':
    case 'gone':
    case 'password':
    case 'blocked':
      return answers[decision.kind];
    // The bare domain and the question to the database about a cap are no answers to an imagined visit.
    case 'notFound':
    case 'bare':
    case 'cap':
      return answers.notFound;
  }
}
