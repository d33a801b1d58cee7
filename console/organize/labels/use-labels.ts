import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { folderListQuery, type LabelKind, tagListQuery } from '#console/api/links/labels.ts';

interface UseLabelsOptions {
  /** The first is 0. */
  page?: number;
  /** Whether rows have their numbers of links. */
  withCounts?: boolean;
}

/** A page of folders or tags whose name has a text. Old rows stay while another search loads. */
export function useLabels(kind: LabelKind, search: string, { page = 0, withCounts }: UseLabelsOptions = {}) {
  const isFolder = kind === 'folder';
  const shared = { placeholderData: keepPreviousData };
  const folders = useQuery({ ...folderListQuery({ search, page, withCounts }), ...shared, enabled: isFolder });
  const tags = useQuery({ ...tagListQuery({ search, page, withCounts }), ...shared, enabled: !isFolder });
  return isFolder ? folders : tags;
}
