/** Id of the workflow of one thing, of which at most one runs. */
export function workflowIdOf(kind: 'domain' | 'webhook' | 'import' | 'import-undo', id: string): string {
  return `${kind}/${id}`;
}

/** What a call deletes. */
export type DeletionKind = 'links' | 'domain' | 'folder' | 'organization';

/** Id of the workflow that removes what one call deleted. @param id of the deletion. */
export function deletionWorkflowId(kind: DeletionKind, id: string): string {
  return `delete-${kind === 'links' ? 'link' : kind}/${id}`;
}
