import type { z } from 'zod';
import type { SharedLimit } from '#core/limits/shared-limit.ts';
import type { Rest } from './rest.ts';

/** What a tool answers: a text, or a picture with one. */
type Answer = string | { text: string; picture: { bytes: Buffer; type: string } };

/** How far a tool is; `progress` grows from one to the next. */
interface Progress {
  progress: number;
  total: number;
  message: string;
}

/** The call of a tool that waits. */
export interface ToolCall {
  /** Aborted when the client has disconnected, or the API shuts down: the tool answers with what it has. */
  signal: AbortSignal;
  /** Limits the waits of an organization. */
  waits: SharedLimit;
  /** Notifies a client that asked for progress. */
  tellProgress(progress: Progress): Promise<void>;
}

/** A task that an agent can do by the API. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** `reads` changes nothing; `adds` makes or changes what can be changed back; `destroys` cannot be undone. */
  effect: 'reads' | 'adds' | 'destroys';
  /** Whether a second call with the same arguments changes nothing more. */
  isIdempotent?: boolean;
  run(rest: Rest, input: z.output<Input>, call: ToolCall): Promise<Answer>;
}

/** Checks the shape of a tool. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition;
}

/** JSON without what is empty: each token of an answer costs the agent's context. */
export function brief(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    field === null || (Array.isArray(field) && field.length === 0) ? undefined : field,
  );
}

type Cell = string | number | boolean | null | undefined;

export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string =>
    `| ${cells.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
