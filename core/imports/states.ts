/** States of an import; `pending`, `running` and `undoing` are under way, the others are ends. */
export const importStates = ['pending', 'running', 'completed', 'failed', 'cancelled', 'undoing', 'undone'] as const;
export type ImportState = (typeof importStates)[number];
/** How an import ends: after its last row, early, or early because a member of its organization asked for it. */
export type ImportEnd = Exclude<ImportState, 'pending' | 'running' | 'undoing' | 'undone'>;
