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
