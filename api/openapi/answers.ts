import { readFileSync } from 'node:fs';

/** File of the answers, below the root of the repository. */
export const answersPath = 'api/openapi/answers.json';

/** An answer that a test got for the example of an operation's request. */
interface RealAnswer {
  status: number;
  /** Of an answer in JSON. */
  body?: unknown;
  csv?: string;
}

/** Real answers by operation; `test/api/openapi/answers.test.ts` compares and renews them. */
export function readAnswers(): Record<string, RealAnswer> {
  return JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as Record<string, RealAnswer>;
}
