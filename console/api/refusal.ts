/** Words for a refusal of the API. `path`: the dotted path of the field that they have to name; none: the place names it. */
export type RefusalWords = (message: string, path?: string) => string;

/** What the API says, until the words of the person's language are loaded. */
export let refusalWords: RefusalWords = (message, path) => (path ? `${path} ${message}` : message);

/** Sets the words of refusals: `#console/i18n/refusals` is no part of the first load. */
export function setRefusalWords(words: RefusalWords): void {
  refusalWords = words;
}
