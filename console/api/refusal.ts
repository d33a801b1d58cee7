/** Words for a refusal of the API. `path`: the dotted path of the field that they have to name; none: the place names it. */
type RefusalWords = (message: string, path?: string) => string;

/** What the API says, until the words of the person's language are loaded. */
export let refusalWords: RefusalWords = (message, path) => (path ? `${path} ${message}` : message);
let loading: Promise<void> | undefined;

/** Loads the words of refusals, which are no part of the first load. Where they cannot be had, the API's own stand. */
export async function loadRefusalWords(): Promise<void> {
  loading ??= import('#console/i18n/refusals/index.ts').then(({ sayRefusal }) => void (refusalWords = sayRefusal));
  await loading.catch(() => (loading = undefined));
}
