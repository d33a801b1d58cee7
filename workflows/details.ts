/**
 * Joins the lines of a workflow's current details, Markdown for people. An empty paragraph ends them: the Temporal UI cuts off
 * the last line that it shows.
 */
export function detailsOf(lines: readonly string[]): string {
  return [...lines, '', '\u00a0'].join('\n');
}
