import { readAnswers } from './answers.ts';
import { type OpenApi, operationsOf } from './types.ts';

const plainExample = 'Contact: mailto:security@example.com\nExpires: 2030-12-31T23:59:59.000Z\n';

/** Gives each success answer with content an example: in JSON and CSV the answer that a test got. */
export function addExamples(document: OpenApi): void {
  const answers = readAnswers();
  for (const { operationId, responses } of operationsOf(document)) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue;
      for (const [type, media] of Object.entries(content)) {
        // A create and an update of an upsert are answered alike.
        if (type === 'application/json') media.example = answers[operationId]?.body;
        else if (type === 'text/csv') media.example = answers[operationId]?.csv;
        // Bytes have no form in JSON.
        else if (media.schema?.format !== 'binary') media.example = plainExample;
      }
    }
  }
}
