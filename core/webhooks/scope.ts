/** The kinds of things that the scope of a webhook names. */
export const scopeKinds = ['folderIds', 'tagIds', 'domainIds', 'linkIds'] as const;

export const mostScopeIds = 100;

/**
 * The links whose events a webhook gets: links in one of the folders, with one of the tags, on one of the domains, and these links. At
 * least one id. Ids of things that were deleted since stay, and match nothing more.
 */
export type WebhookScope = Record<(typeof scopeKinds)[number], string[]>;
