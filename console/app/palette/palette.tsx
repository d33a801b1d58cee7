import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { linkListQuery } from '#console/api/links/links.ts';
import { staffQuery } from '#console/api/staff.ts';
import { useNewLink } from '#console/links/new-link.tsx';
import { shownShortUrl } from '#console/links/short-url.ts';
import { copyText } from '#console/ui/text/copy.tsx';
import { useDelayed } from '#console/ui/browser/delayed.ts';
import { Icon, type IconName } from '#console/ui/icon.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { isHalted } from '#console/app/can.ts';
import { allPlaces } from '#console/app/places/places.ts';
import { setPreferences } from '#console/app/preferences.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useOrganizationSwitch } from '#console/app/organization/use-organization-switch.ts';
import { useAppWords } from '#console/app/words.ts';
import css from './palette.module.css';

interface Entry {
  id: string;
  group: string;
  icon: IconName;
  label: string;
  detail?: string;
  /** What Ctrl or Cmd C copies. */
  copies?: string;
  onOpen: () => void;
}

const foundAtMost = 8;
const organizationsAtMost = 5;
/** Search over pages, actions and links; pages whose name begins with the text stand first. Enter opens the marked line, Ctrl or Cmd C copies its short link. */
export function Palette({ onClose }: { onClose: () => void }) {
  const words = useAppWords();
  const navigate = useNavigate();
  const newLink = useNewLink();
  const switchTo = useOrganizationSwitch();
  const session = useSession();
  const { user, organization } = session;
  const listId = useId();
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const search = useDelayed(text.trim(), 120);
  const { data } = useQuery({
    ...linkListQuery({ search }, { limit: foundAtMost, sortBy: 'createdAt', sortOrder: 'desc' }),
    enabled: search !== '' && !isHalted(session),
  });
  const fixed: Entry[] = [
    {
      id: 'new',
      group: words.palette.actions,
      icon: 'add',
      label: words.newLink,
      onOpen: () => newLink(/[.:]/.test(text) ? text.trim() : ''),
    },
    ...allPlaces(user.isStaff).map(({ to, icon, name }): Entry => ({
      id: name,
      group: words.palette.pages,
      icon,
      label: words[name],
      onOpen: () => void navigate({ to }),
    })),
  ];
  // Links whose own end begins with the text stand first: people type what is printed.
  const found = (search === '' ? [] : (data?.data ?? [])).toSorted(
    (one, other) => Number(other.slug.startsWith(search)) - Number(one.slug.startsWith(search)),
  );
  const links: Entry[] = found.map((link) => ({
    id: link.id,
    group: words.links,
    icon: 'link',
    label: shownShortUrl(link.originUrl),
    detail: link.title ?? link.destination.value,
    copies: link.originUrl,
    onOpen: () => void navigate({ to: '/links/$id', params: { id: link.id } }),
  }));
  const others: Entry[] = user.organizations
    .filter(({ id }) => id !== organization.id)
    .map(({ id, name }) => ({
      id,
      group: words.organizations,
      icon: 'people',
      label: name,
      onOpen: () => void switchTo(id),
    }));
  // Staff find organizations of others by name, and by the e-mail of a member.
  const { data: all } = useQuery({
    ...staffQuery('organizations.list', { search, limit: organizationsAtMost }),
    enabled: user.isStaff && search !== '',
  });
  const ofStaff = (all?.items ?? []).flatMap(({ id, name, isSuspended }): Entry[] => {
    const show = (dialog?: 'suspend'): void =>
      void navigate({ to: '/staff/organizations/$id', params: { id }, search: dialog ? { do: dialog } : {} });
    const entry = { group: words.staffOrganization, icon: 'shield' as const };
    return [
      { ...entry, id: `staff-${id}`, label: name, onOpen: () => show() },
      ...(isSuspended
        ? []
        : [{ ...entry, id: `suspend-${id}`, label: words.suspendOne(name), onOpen: () => show('suspend') }]),
    ];
  });
  const themes: Entry[] = (['light', 'dark', 'system'] as const).map((theme) => ({
    id: `theme-${theme}`,
    group: words.palette.actions,
    icon: 'eye',
    label: `${words.theme}: ${words.themeOf[theme]}`,
    onOpen: () => setPreferences({ theme }),
  }));
  const wanted = text.trim().toLowerCase();
  const isNamed = ({ group, label }: Entry): boolean =>
    group === words.palette.pages && wanted !== '' && label.toLowerCase().startsWith(wanted);
  const entries = [
    ...fixed.filter(isNamed),
    ...links,
    ...(search === '' ? [] : ofStaff),
    ...[...fixed, ...others, ...themes].filter(
      (entry) =>
        !isNamed(entry) &&
        (wanted === '' || (entry.id === 'new' && links.length === 0) || entry.label.toLowerCase().includes(wanted)),
    ),
  ];
  const at = Math.min(marked, Math.max(0, entries.length - 1));
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.onOpen();
  };

  async function copy(): Promise<void> {
    const url = entries[at]?.copies;
    if (url === undefined || !(await copyText(url))) return;
    onClose();
    sayDone(words.copied(url));
  }

  return (
    <ModalOverlay isOpen onOpenChange={(isOpen) => !isOpen && onClose()} isDismissable className={css.overlay}>
      <Modal className={css.modal}>
        <AriaDialog aria-label={words.palette.title} className={css.dialog}>
          <div className={css.field}>
            <Icon name="search" />
            <input
              autoFocus
              role="combobox"
              aria-expanded
              aria-controls={listId}
              aria-activedescendant={entries[at] === undefined ? undefined : `${listId}-${entries[at].id}`}
              aria-label={words.palette.title}
              placeholder={words.palette.placeholder}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setMarked(0);
              }}
              onKeyDown={(event) => {
                const isCopy = (event.ctrlKey || event.metaKey) && event.key === 'c';
                if (event.key === 'ArrowDown') setMarked(Math.min(at + 1, entries.length - 1));
                else if (event.key === 'ArrowUp') setMarked(Math.max(0, at - 1));
                else if (event.key === 'Enter') open(entries[at]);
                else if (isCopy && event.currentTarget.selectionStart === event.currentTarget.selectionEnd) void copy();
                else return;
                event.preventDefault();
              }}
            />
          </div>
          <div id={listId} role="listbox" aria-label={words.palette.title} className={css.list}>
            {entries.map((entry, index) => (
              <div
                key={entry.id}
                id={`${listId}-${entry.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                className={css.entry}
                onPointerMove={() => setMarked(index)}
                onClick={() => open(entry)}
                onKeyDown={() => {}}
              >
                <Icon name={entry.icon} />
                <span className="clip">{entry.label}</span>
                <span className={css.detail}>{entry.detail ?? entry.group}</span>
              </div>
            ))}
            {entries.length === 0 && <p className={css.none}>{words.nothingFound}</p>}
          </div>
          <p className={css.hint}>{words.palette.hint}</p>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
