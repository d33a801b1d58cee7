import * as z from 'zod';

const ignored = z.unknown().optional().describe('Read-only: ignored when sent.');

/** Fields of an update that only answers set: clients may send back what GET returns. */
export function readOnly<Name extends string>(...names: Name[]): Record<Name, typeof ignored> {
  return Object.fromEntries(names.map((name) => [name, ignored])) as Record<Name, typeof ignored>;
}
