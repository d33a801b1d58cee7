/**
 * Search attributes by which operators find processes in the Temporal UI (10.3), with their kinds as Temporal's command
 * line spells them. They are registered at start, on any Temporal service.
 */
export const searchAttributes = {
  organizationId: 'KeywordList',
  domainId: 'KeywordList',
  linkId: 'KeywordList',
  webhookId: 'Keyword',
  state: 'Keyword',
} as const;

/** Organizations that a process works for, as clients and workflows name the attribute. */
export const organizationIdKey = { name: 'organizationId', type: 'KEYWORD_LIST' } as const;
/** Links that a process works for. */
export const linkIdKey = { name: 'linkId', type: 'KEYWORD_LIST' } as const;
/** What a process is doing, or how it ended. */
export const stateKey = { name: 'state', type: 'KEYWORD' } as const;
/** Domains that a process works for. */
export const domainIdKey = { name: 'domainId', type: 'KEYWORD_LIST' } as const;
/** The webhook that a process works for. */
export const webhookIdKey = { name: 'webhookId', type: 'KEYWORD' } as const;
