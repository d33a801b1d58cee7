import { queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { linkPreviewSchema } from '#api/link-preview/schema.ts';
import { call } from '#console/api/client.ts';

/** A page as others see it before they visit it. */
export type LinkPreview = output<typeof linkPreviewSchema>;

/** A look at a page that a link may lead to. */
export function linkPreviewQuery(url: string) {
  return queryOptions({
    queryKey: ['link-preview', url],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => call<LinkPreview>('GET', '/link-preview', { query: { url }, signal }),
  });
}
