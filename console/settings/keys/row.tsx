import { useQuery } from '@tanstack/react-query';
import { type ApiKey, revokeKey } from '#console/api/people/keys.ts';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { sayPermissions } from '#console/settings/permission-words.ts';
import { useKeyWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { ConfirmButton } from '#console/ui/form/form-dialog.tsx';
import { type Fact, Facts } from '#console/ui/page/facts.tsx';

const soonMs = 30 * 86_400_000;

interface KeyRowProps {
  one: ApiKey;
  onEdit: () => void;
  onRotate: () => void;
}

/** A key with its limits and last use. */
export function KeyRow({ one, onEdit, onRotate }: KeyRowProps) {
  const words = useKeyWords();
  const format = useFormat();
  const lastUse = useLastUse();
  const now = useNow();
  const { user } = useSession();
  const notAllowed = useRefusal('apiKeys', 'update');
  const noRevocation = useRefusal('apiKeys', 'delete');
  const { id, name, type, last4, createdAt, expiresAt, permissions } = one;
  const { allowedAddresses, folderIds, domainIds, previousKeyUntil } = one;
  const isOver = expiresAt !== null && new Date(expiresAt) <= now;
  const endsSoon = !isOver && expiresAt !== null && new Date(expiresAt).getTime() - now.getTime() < soonMs;
  const facts: Fact[] = [
    [words.permissions, sayPermissions(permissions, words) || words.mayNothing, 'wide'],
    [words.madeOn, format.day(createdAt)],
    [words.used, lastUse(one)],
    [words.ends, expiresAt === null ? words.noEnd : <Moment key="end" at={expiresAt} />],
  ];
  if (allowedAddresses !== null) facts.push([words.onlyFrom, allowedAddresses.join(', ')]);
  if (folderIds !== null || domainIds !== null)
    facts.push([words.onlyIn, <Places key="places" folderIds={folderIds ?? []} domainIds={domainIds ?? []} />]);
  if (previousKeyUntil !== null && new Date(previousKeyUntil) > now)
    facts.push([words.previous, <Moment key="previous" at={previousKeyUntil} />]);
  // Only the member learns the value of their key.
  const isOfAnother = type === 'user' && one.userId !== user.id;
  const noRotation = notAllowed ?? (isOfAnother ? words.rotateOwn : isOver ? words.rotateEnded : undefined);
  return (
    <li>
      <div className={layout.actions}>
        <strong>{name}</strong>
        <code className="quiet">{`…${last4}`}</code>
        <Chip>{words.types[type]}</Chip>
        {isOver && <Chip tone="bad">{words.over}</Chip>}
        {endsSoon && <Chip tone="warn">{words.endsSoon}</Chip>}
      </div>
      <Facts facts={facts} />
      <div className={layout.actions}>
        <Button size="small" icon="edit" aria-label={words.editOf(name)} refusal={notAllowed} onPress={onEdit}>
          {words.edit}
        </Button>
        <Button size="small" icon="refresh" aria-label={words.rotateOf(name)} refusal={noRotation} onPress={onRotate}>
          {words.rotate}
        </Button>
        <ConfirmButton
          button={{
            size: 'small',
            icon: 'trash',
            variant: 'danger',
            'aria-label': words.revokeOf(name),
            refusal: noRevocation,
            children: words.revoke,
          }}
          title={words.revokeTitle(name)}
          submitLabel={words.revoke}
          change={{
            send: () => revokeKey(id),
            done: words.revoked(name),
            failed: words.notRevoked(name),
            refresh: [['keys']],
          }}
        >
          <p>{words.revokeText}</p>
          <p className="quiet">{words.lastUse(lastUse(one))}</p>
        </ConfirmButton>
      </div>
    </li>
  );
}

/** @returns what tells when and from where a key was last used. */
export function useLastUse(): (key: Pick<ApiKey, 'lastUsedAt' | 'lastUsedFrom'>) => string {
  const words = useKeyWords();
  const format = useFormat();
  const now = useNow();
  return ({ lastUsedAt, lastUsedFrom }) => {
    if (lastUsedAt === null) return words.never;
    const when = format.ago(lastUsedAt, now);
    return lastUsedFrom === null ? when : words.usedFrom(when, lastUsedFrom);
  };
}

/** The names of the folders and domains to which a key is restricted. */
function Places({ folderIds, domainIds }: { folderIds: readonly string[]; domainIds: readonly string[] }) {
  const words = useKeyWords();
  const { data: folders } = useQuery(allFoldersQuery);
  const { data: domains } = useQuery(usableDomainsQuery);
  const folderNames = folderIds.map((id) => folders?.find((one) => one.id === id)?.name ?? words.goneFolder);
  const domainNames = domainIds.map((id) => domains?.find((one) => one.id === id)?.domain ?? words.goneDomain);
  if (folders === undefined || domains === undefined) return '…';
  return [
    ...(folderNames.length === 0 ? [] : [words.foldersOf(folderNames.join(', '))]),
    ...(domainNames.length === 0 ? [] : [words.domainsOf(domainNames.join(', '))]),
  ].join(' · ');
}
