import * as z from 'zod';

const maxBytes = 131_072;
const maxDepth = 32;
const utf8 = new TextEncoder();

/** The problem of a free-form JSON value, as an issue's message; undefined where it may be stored. */
export function jsonProblem(value: unknown): string | undefined {
  const problem = partProblem(value, 1);
  if (problem !== undefined) return problem;
  return utf8.encode(JSON.stringify(value)).byteLength > maxBytes ? `must have at most ${maxBytes} bytes` : undefined;
}

function partProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  // JavaScript reads 1e999 as Infinity, and would store it as null.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must not hold numbers beyond 1e308';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
  for (const [key, part] of Object.entries(value)) {
    // A client that merges such a document into an object would change the prototype of all objects.
    if (key === '__proto__') return 'must not hold the key __proto__';
    const problem = textProblem(key) ?? partProblem(part, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// PostgreSQL can store neither of these.
function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not hold a NUL character';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** A free-form JSON document of at most 128 KiB and 32 levels; null clears it. */
export function jsonDocumentSchema({ arrays }: { arrays: boolean }) {
  return z.unknown().superRefine((value, context) => {
    if (value === null) return;
    const fits = typeof value === 'object' && (arrays || !Array.isArray(value));
    const message = fits ? jsonProblem(value) : `must be an object${arrays ? ', an array' : ''} or null`;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}
