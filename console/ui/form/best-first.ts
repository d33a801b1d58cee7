/**
 * Sorts found choices: first those whose label begins with the text, then the others, so that "ger" shows Germany before Algeria. Within
 * both groups the order stays.
 */
export function bestFirst<One extends { label: string }>(choices: readonly One[], text: string): readonly One[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const begins = (choice: One): boolean => choice.label.toLowerCase().startsWith(wanted);
  return [...choices.filter(begins), ...choices.filter((choice) => !begins(choice))];
}
