import type { output } from 'zod';
import type { linkPreviewSchema } from '#api/link-preview/schema.ts';
import { readQuery } from '#console/api/query.ts';

/** A page as others see it before they visit it. */
export type LinkPreview = output<typeof linkPreviewSchema>;

/** A look at a page that a link may lead to. */
export function linkPreviewQuery(url: string) {
  return readQuery<LinkPreview>(['link-preview', url], '/link-preview', {
    query: { url },
    staleTime: 60_000,
    retry: false,
  });
}
