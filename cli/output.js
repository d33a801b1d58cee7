// Prints for people on a terminal, and lines of tab-separated values to programs.

/** @typedef {ReturnType<typeof createOutput>} Output */

/** @param {import('./run.js').Io} io @param {boolean} isJson */
export function createOutput({ stdout, stderr, env }, isJson) {
  const isTerminal = stdout.isTTY === true;
  const hasColor = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const faint = (text) => (hasColor ? `\u001b[2m${text}\u001b[22m` : text);
  const line = (text) => void stdout.write(`${text}\n`);

  return {
    isJson,
    isTerminal,
    line,
    /** Prints a line of values, as a list does for programs. @param {unknown[]} values */
    row: (values) =>
      line(
        values
          .map(cell)
          .join(isTerminal ? '  ' : '\t')
          .trimEnd(),
      ),
    /** Tells a person what happens; not part of the output. */
    note: (text) => void (isTerminal && stderr.write(`${text}\n`)),
    /** Tells what a script should not miss either. */
    warn: (text) => void stderr.write(`${text}\n`),
    /** Prints `text`, or `value` with --json. */
    result: (value, text) => line(isJson ? JSON.stringify(value, null, 2) : text),
    /**
     * Prints a list. @param {unknown[]} values
     * @param {Record<string, (value: any) => unknown>} columns by their titles
     * @param {unknown} [answer] what --json prints; without: the values
     */
    list(values, columns, answer = values) {
      if (isJson) return line(JSON.stringify(answer, null, 2));
      const titles = Object.keys(columns);
      const rows = values.map((value) => titles.map((title) => cell(columns[title](value))));
      if (!isTerminal) return rows.forEach((row) => line(row.join('\t')));
      const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
      const aligned = (row) =>
        row
          .map((text, at) => text.padEnd(widths[at]))
          .join('  ')
          .trimEnd();
      line(faint(aligned(titles)));
      for (const row of rows) line(aligned(row));
      if (rows.length === 0) line(faint('none'));
    },
    /** Prints the fields of one thing. @param {unknown} value what --json prints @param {Record<string, unknown>} fields */
    fields(value, fields) {
      if (isJson) return line(JSON.stringify(value, null, 2));
      const known = Object.entries(fields).filter(([, field]) => field !== null && field !== undefined && field !== '');
      const width = Math.max(...known.map(([title]) => title.length));
      for (const [title, field] of known)
        line(isTerminal ? `${faint(title.padEnd(width))}  ${cell(field)}` : `${title}\t${cell(field)}`);
    },
  };
}

/** One line, whatever a title or an address holds: control characters could write over a terminal, others turn its text around. */
function cell(value) {
  return String(value ?? '').replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ');
}
