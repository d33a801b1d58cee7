import type { output } from 'zod';
import type { ownOrganizationsSchema, sessionSchema } from '#api/auth/schema.ts';
import type { folderListSchema } from '#api/folder/schema.ts';
import type { historySchema } from '#api/short-link/history/schema.ts';
import type { linkListSchema } from '#api/short-link/schema.ts';
import type { tagListSchema } from '#api/tag/schema.ts';

// Answers of the API, by the schemas that the API itself sends them through.

export type { ChangedLink, ShortLink, ShortLinkItem } from '#api/short-link/schema.ts';
export type Session = output<typeof sessionSchema>;
export type FolderPage = output<typeof folderListSchema>;
export type TagPage = output<typeof tagListSchema>;
export type Folder = FolderPage['data'][number];
export type Tag = TagPage['data'][number];
export type LinkPage = output<typeof linkListSchema>;
export type LinkHistoryPage = output<typeof historySchema>;
export type LinkChange = LinkHistoryPage['data'][number];
export type OwnOrganizations = output<typeof ownOrganizationsSchema>;
