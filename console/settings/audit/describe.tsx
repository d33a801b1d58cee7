import type { ReactNode } from 'react';
import { Moment } from '#console/ui/page/moment.tsx';
import { useAuditWords } from './words.ts';

const reads = new Set(['list', 'get', 'search', 'views', 'deliveries', 'delivery']);

/**
 * An action in words. Staff read by tools, and by calls of the API while they look at the organization.
 * @param isOfAll whether it was about no organization alone.
 */
export function describeAction(action: string, words: ReturnType<typeof useAuditWords>, isOfAll = false): ReactNode {
  const known = words.actions[action];
  if (known !== undefined) return known;
  const [kind = '', what = ''] = action.split('.');
  const thing = kind === 'view' ? thingOf(what) : reads.has(what) ? kind : undefined;
  if (thing === 'organizations') return words.lookedAtOrganization(isOfAll);
  const read = thing === undefined ? undefined : words.things[thing];
  return read === undefined ? <code>{action}</code> : words.looked(read, isOfAll);
}

/** What an operation of the API reads, by a part of its id; the first that fits. */
const things: readonly [RegExp, string][] = [
  [/Webhook|Events/, 'webhooks'],
  [/Domain/, 'domains'],
  [/Link|QrCode/, 'links'],
  [/Stats|Clicks/, 'stats'],
  [/Folder/, 'folders'],
  [/Tag/, 'tags'],
  [/UtmTemplate/, 'templates'],
  [/File/, 'files'],
  [/Import/, 'imports'],
  [/ApiKey/, 'apiKeys'],
  [/Member|Invitation/, 'people'],
  [/Oidc/, 'identityProvider'],
  [/Audit/, 'audit'],
  [/Activity/, 'activity'],
  [/RequestLog|LoggedCall/, 'calls'],
  [/Process/, 'workflows'],
  [/Organization/, 'organizations'],
];

/** @returns the key of its noun; that of data as such for an operation of another version. */
export const thingOf = (operationId: string): string =>
  things.find(([pattern]) => pattern.test(operationId))?.[1] ?? 'data';

/** How often the thing of a line happened, and when it did last: the line stands where it happened first. */
export function Times({ count, lastAt }: { count: number; lastAt: string }) {
  const words = useAuditWords();
  return (
    <>
      {' · '}
      {words.times(count)}, {words.last} <Moment at={lastAt} as="ago" />
    </>
  );
}
