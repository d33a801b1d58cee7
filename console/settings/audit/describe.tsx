import type { ReactNode } from 'react';
import type { useAuditWords } from './words.ts';

const reads = new Set(['list', 'get', 'search', 'views', 'deliveries', 'delivery']);

/** An action in words. Staff read by tools, and by calls of the API while they look at the organization. */
export function describeAction(action: string, words: ReturnType<typeof useAuditWords>): ReactNode {
  const known = words.actions[action];
  if (known !== undefined) return known;
  if (action.startsWith('view.')) return words.looked(action.slice('view.'.length));
  const [kind = '', what = ''] = action.split('.');
  const thing = words.things[kind];
  return thing !== undefined && reads.has(what) ? words.looked(thing) : <code>{action}</code>;
}
