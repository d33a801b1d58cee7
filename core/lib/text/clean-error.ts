/** An error as it may be logged. */
interface CleanError {
  type: string;
  message: string;
  stack?: string;
  /** Code of the system or the database. */
  code?: string;
  /** Names from a database error: table, column, constraint; never a value. */
  table?: string;
  column?: string;
  constraint?: string;
  cause?: CleanError;
  errors?: CleanError[];
}

const maxDepth = 4;
const keptFields = ['code', 'table', 'column', 'constraint'] as const;
const urls = /\b(?:https?|postgres(?:ql)?|smtps?|mailto|tel):[^\s"'<>`)]+/gi;
const secrets = /\b(?:wm_live_|whsec_)[\w+/=-]+/g;
const emails = /[\w.+-]+@[\w-]+\.[\w.-]+/g;
const quoted = /".*"/s;

/** Takes URLs, keys and e-mail addresses out of a text. */
export function cleanText(text: string): string {
  return text.replace(urls, '[url]').replace(secrets, '[key]').replace(emails, '[e-mail]');
}

/**
 * The parts of an error that may be logged: kind, message and origin. Left out are values, which the database repeats in
 * `detail` and in messages about wrong values, and texts that a parser quotes.
 */
export function cleanError(error: unknown, depth = 0): CleanError {
  if (!(error instanceof Error)) return { type: typeof error, message: cleanText(String(error)) };
  const fields = error as Error & Partial<Record<(typeof keptFields)[number], unknown>>;
  const raw = error.message;
  const message = cleanText(quotesValues(error) ? raw.replace(quoted, '"…"') : raw);
  const clean: CleanError = { type: error.constructor.name, message };
  if (error.stack !== undefined) clean.stack = cleanStack(error.stack, raw, message);
  for (const field of keptFields) {
    const value = fields[field];
    if (typeof value === 'string' || typeof value === 'number') clean[field] = String(value);
  }
  if (depth >= maxDepth) return clean;
  if (error.cause !== undefined) clean.cause = cleanError(error.cause, depth + 1);
  if (error instanceof AggregateError) clean.errors = error.errors.map((each) => cleanError(each, depth + 1));
  return clean;
}

/** JSON.parse quotes the text, and the database quotes a value of the wrong form (SQLSTATE class 22). */
function quotesValues(error: Error & { code?: unknown }): boolean {
  return error instanceof SyntaxError || (typeof error.code === 'string' && /^22...$/.test(error.code));
}

/** The frames of the stack; the text before them repeats the message. */
function cleanStack(stack: string, raw: string, message: string): string {
  const frames = stack.indexOf('\n    at ');
  const head = frames === -1 ? stack : stack.slice(0, frames);
  return cleanText(head.replace(raw, () => message)) + (frames === -1 ? '' : stack.slice(frames));
}
