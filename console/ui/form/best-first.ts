/** Choices whose names begin with a text before those that have it elsewhere, each in their order: "ger" finds Germany before Algeria. */
export function bestFirst<One extends { label: string }>(choices: readonly One[], text: string): readonly One[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const begins = (choice: One): boolean => choice.label.toLowerCase().startsWith(wanted);
  return [...choices.filter(begins), ...choices.filter((choice) => !begins(choice))];
}
