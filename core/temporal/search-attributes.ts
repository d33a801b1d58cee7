/**
 * Search attributes by which operators find processes in the Temporal UI, with their kinds as Temporal's command
 * line spells them. They are registered at start, on any Temporal service. SQL stores of Temporal have room for three
 * KeywordLists, three Datetimes and ten Keywords.
 */
export const searchAttributes = {
  organizationId: 'KeywordList',
  domainId: 'KeywordList',
  linkId: 'KeywordList',
  webhookId: 'Keyword',
  displayName: 'Keyword',
  state: 'Keyword',
  lastError: 'Keyword',
  nextStep: 'Keyword',
  nextAt: 'Datetime',
} as const;

/** Organizations that a process works for, as clients and workflows name the attribute. */
export const organizationIdKey = { name: 'organizationId', type: 'KEYWORD_LIST' } as const;
/** The subjects of a process in words: hosts, domains, links, organizations. Never people. */
export const displayNameKey = { name: 'displayName', type: 'KEYWORD' } as const;
/** Links that a process works for. */
export const linkIdKey = { name: 'linkId', type: 'KEYWORD_LIST' } as const;
/** Current step of a process, or its outcome. */
export const stateKey = { name: 'state', type: 'KEYWORD' } as const;
/** Domains that a process works for. */
export const domainIdKey = { name: 'domainId', type: 'KEYWORD_LIST' } as const;
/** The webhook that a process works for. */
export const webhookIdKey = { name: 'webhookId', type: 'KEYWORD' } as const;
/** What went wrong last and is not mended: a status, a code or words of ours, never a text from outside (docs/adr/0079). */
export const lastErrorKey = { name: 'lastError', type: 'KEYWORD' } as const;
/** What comes next, or what a person has to do. */
export const nextStepKey = { name: 'nextStep', type: 'KEYWORD' } as const;
/** When the process goes on by itself. Long past in a process that runs: it is late. */
export const nextAtKey = { name: 'nextAt', type: 'DATETIME' } as const;

// Temporal keeps 400 bytes of a summary, and names are part of it: 80 characters of four bytes leave room for the rest.
const longestName = 80;

/**
 * The value of `displayName` for a process that works for several things: the first ones, and how many more there are.
 * @param names at least one.
 * @param count how many there are, where `names` holds only the first ones.
 */
export function processName(names: readonly string[], count: number = names.length): string {
  const [first = '', second] = names;
  const shown = second !== undefined && first.length + second.length < longestName - 2 ? [first, second] : [first];
  const more = count > shown.length ? ` +${count - shown.length}` : '';
  return `${clip(shown.join(', '))}${more}`;
}

/** Cuts a text between characters: Temporal refuses a value that ends in half of one. */
export function clip(text: string, length = longestName): string {
  const characters = Array.from(text.toWellFormed());
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('');
}
