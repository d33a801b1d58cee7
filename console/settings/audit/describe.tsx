import type { ReactNode } from 'react';
import type { useAuditWords } from './words.ts';

const reads = new Set(['list', 'get', 'search', 'views', 'deliveries', 'delivery']);

/**
 * An action in words. Staff read by tools, and by calls of the API while they look at the organization.
 * @param isOfAll whether it was about no organization alone.
 */
export function describeAction(action: string, words: ReturnType<typeof useAuditWords>, isOfAll = false): ReactNode {
  const known = words.actions[action];
  if (known !== undefined) return known;
  const [kind = '', what = ''] = action.split('.');
  const read = kind === 'view' ? nounOf(what) : reads.has(what) ? words.things[kind] : undefined;
  if (read === undefined) return <code>{action}</code>;
  const isOrganization = kind === 'organizations' || read === 'organization';
  return isOrganization ? words.lookedAtOrganization(isOfAll) : words.looked(read, isOfAll);
}

/** What an operation reads, as `webhook deliveries` of `listWebhookDeliveries`. */
const nounOf = (operationId: string): string =>
  operationId
    .replace(/^(?:get|list|read)(?=[A-Z])/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase();
