import { useQuery } from '@tanstack/react-query';
import type { ApiKey } from '#console/api/people/keys.ts';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { Button } from '#console/ui/button.tsx';
import { Choices } from '#console/ui/form/choices.tsx';
import { TextArea, TextField } from '#console/ui/form/field.tsx';
import { toLocalInput } from '#console/ui/browser/local-input.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { useKeyWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

/** Limits of a key as a person writes them. */
interface LimitsDraft {
  /** Of an input of moments; empty: no end. */
  expiresAt: string;
  /** One a line; empty: everywhere. */
  addresses: string;
  /** Empty: all. */
  folderIds: readonly string[];
  domainIds: readonly string[];
}

/** The limits of a key, to be changed. */
export function toLimitsDraft(key: ApiKey | undefined): LimitsDraft {
  return {
    expiresAt: key?.expiresAt ? toLocalInput(new Date(key.expiresAt)) : '',
    addresses: key?.allowedAddresses?.join('\n') ?? '',
    folderIds: key?.folderIds ?? [],
    domainIds: key?.domainIds ?? [],
  };
}

/**
 * The limits as the API takes them.
 * @param before of the key to change: an input of moments has no seconds, so an end that was not changed is sent as it was.
 */
export function toLimits(
  draft: LimitsDraft,
  before: ApiKey | undefined,
): Pick<ApiKey, 'expiresAt' | 'allowedAddresses' | 'folderIds' | 'domainIds'> {
  const orNull = <T,>(list: readonly T[]): T[] | null => (list.length === 0 ? null : [...list]);
  const isSameEnd = draft.expiresAt === toLimitsDraft(before).expiresAt;
  const end = draft.expiresAt === '' ? null : new Date(draft.expiresAt).toISOString();
  return {
    expiresAt: isSameEnd ? (before?.expiresAt ?? null) : end,
    allowedAddresses: orNull(addressesOf(draft)),
    folderIds: orNull(draft.folderIds),
    domainIds: orNull(draft.domainIds),
  };
}

function addressesOf({ addresses }: LimitsDraft): string[] {
  return addresses.split(/[\s,]+/).filter((one) => one !== '');
}

/** What is wrong with the addresses, with the wrong one. */
function addressIssue(draft: LimitsDraft, issues: Readonly<Record<string, string>>): string | undefined {
  const [path, message] = Object.entries(issues).find(([name]) => name.startsWith('allowedAddresses')) ?? [];
  if (path === undefined) return undefined;
  const wrong = addressesOf(draft)[Number(path.split('.')[1])];
  return wrong === undefined ? message : `${wrong}: ${message}`;
}

interface LimitsProps {
  draft: LimitsDraft;
  onChange: (draft: LimitsDraft) => void;
  issues: Readonly<Record<string, string>>;
  /** Whether the key manages keys and people, so that it cannot be restricted. */
  isManager: boolean;
}

/** End, addresses, folders and domains of a key. */
export function Limits({ draft, onChange, issues, isManager }: LimitsProps) {
  const words = useKeyWords();
  const now = useNow();
  const { data: folders = [] } = useQuery(allFoldersQuery);
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  const inDays = (days: number): string =>
    toLocalInput(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59));
  const set = (change: Partial<LimitsDraft>): void => onChange({ ...draft, ...change });
  return (
    <>
      <div>
        <TextField
          label={words.endsAt}
          type="datetime-local"
          value={draft.expiresAt}
          onChange={(expiresAt) => set({ expiresAt })}
          error={issues.expiresAt}
          hint={timeZone}
        />
        <div className={layout.actions}>
          {([30, 90, 365] as const).map((days) => (
            <Button key={days} size="small" onPress={() => set({ expiresAt: inDays(days) })}>
              {words.inDays(days)}
            </Button>
          ))}
          <Button size="small" variant="plain" onPress={() => set({ expiresAt: '' })}>
            {words.noEnd}
          </Button>
        </div>
      </div>
      <TextArea
        label={words.addresses}
        hint={words.addressesHint}
        value={draft.addresses}
        onChange={(addresses) => set({ addresses })}
        error={addressIssue(draft, issues)}
        placeholder={'203.0.113.7\n2001:db8::/32'}
      />
      {isManager ? (
        <p className="quiet">{words.managersReachAll}</p>
      ) : (
        <>
          <Choices
            label={words.folders}
            hint={words.foldersHint}
            gone={words.goneFolder}
            all={folders.map(({ id, name }) => ({ id, label: name }))}
            chosen={draft.folderIds}
            onChange={(folderIds) => set({ folderIds })}
          />
          <Choices
            label={words.domains}
            hint={words.domainsHint}
            gone={words.goneDomain}
            all={domains.map(({ id, domain }) => ({ id, label: domain }))}
            chosen={draft.domainIds}
            onChange={(domainIds) => set({ domainIds })}
          />
        </>
      )}
    </>
  );
}
