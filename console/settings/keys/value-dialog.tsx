import { apiBase } from '#console/api/client.ts';
import type { CreatedKey } from '#console/api/people/keys.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Code } from '#console/ui/text/code.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { useKeyWords } from './words.ts';

/** The value of a key, once, with a command that works. */
export function ValueDialog({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  const words = useKeyWords();
  const format = useFormat();
  const now = useNow();
  const { key, name, allowedAddresses, previousKeyUntil } = made;
  const path = triedPath(made);
  return (
    <OnceDialog title={words.editTitle(name)} once={words.once} done={words.done} onClose={onClose}>
      <Code text={key} label={words.key} name={words.copiedKey} />
      {previousKeyUntil !== null && new Date(previousKeyUntil) > now && (
        <p>{words.previousWorks(format.moment(previousKeyUntil))}</p>
      )}
      {path !== undefined && (
        <Code text={`curl -H 'x-api-key: ${key}' '${apiBase()}${path}'`} label={words.tryIt} name={words.tryIt} />
      )}
      {allowedAddresses !== null && <p className="quiet">{words.tryFrom(allowedAddresses.join(', '))}</p>}
    </OnceDialog>
  );
}

/** A path that the key may read; undefined: it may read none. */
function triedPath({ permissions, folderIds, domainIds }: CreatedKey): string | undefined {
  if (folderIds === null && domainIds === null) return '/organization';
  if (permissions.shortLinks?.includes('read')) return '/short-link/count';
  if (permissions.domains?.includes('read')) return '/domain/all';
  return permissions.stats?.includes('read') ? '/stats/clicks-over-time' : undefined;
}
