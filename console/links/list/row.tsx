import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { ShortLinkItem } from '#console/api/types.ts';
import { useKeyHint } from '#console/app/keys.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/text/copy.tsx';
import { Checkbox } from '#console/ui/form/field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Menu, type MenuAction } from '#console/ui/menu.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Label } from '#console/ui/page/label.tsx';
import { SiteMark } from '#console/ui/page/site-mark.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import { hostOf, shownShortUrl } from '#console/links/short-url.ts';
import { stateOf, stateTones } from '#console/links/state.ts';
import { useLinkWords } from '#console/links/words.ts';
import css from './list.module.css';
import layout from '#console/ui/page/layout.module.css';

/** What can be done with a row. */
export type RowAction = 'edit' | 'qr' | 'power' | 'tag' | 'move' | 'duplicate' | 'archive' | 'delete';

/** Parts of a row that can be hidden. */
export const rowColumns = ['labels', 'clicks', 'times', 'state'] as const;

// Two lines of short ones beside the folder.
const shownTags = 4;

interface RowProps {
  link: ShortLinkItem;
  isSelected: boolean;
  isFocused: boolean;
  isDense: boolean;
  /** Whether its folder is told: the default one is not. */
  isFolderShown: boolean;
  hidden: readonly string[];
  onSelect: (id: string, isRange: boolean) => void;
  onFocus: (id: string) => void;
  onAct: (action: RowAction, link: ShortLinkItem) => void;
}

export const Row = memo(function Row({
  link,
  isSelected,
  isFocused,
  isDense,
  isFolderShown,
  hidden,
  onSelect,
  onFocus,
  onAct,
}: RowProps) {
  const words = useLinkWords();
  const keyHint = useKeyHint();
  const format = useFormat();
  const url = shownShortUrl(link.originUrl);
  const now = useNow();
  const state = stateOf(link, now);
  const host = hostOf(link.destination.value);
  const others = link.tags.slice(shownTags).map(({ name }) => name);
  const times = [
    `${words.lastClick} ${link.lastClickedAt === null ? '' : format.whole(link.lastClickedAt)}`,
    `${words.made} ${format.whole(link.createdAt)}`,
  ].join('\n');
  const action = (id: RowAction, rest: Pick<MenuAction, 'label' | 'icon'> & Partial<MenuAction>): MenuAction => ({
    id,
    onAction: () => onAct(id, link),
    ...rest,
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Shift X is the key for the same
    <li
      data-link={link.id}
      className={[css.row, isDense ? css.dense : '', isSelected ? css.selectedRow : ''].join(' ')}
      onFocus={() => onFocus(link.id)}
      onClickCapture={(event) => {
        if (!event.shiftKey || (event.target as Element).closest('a, button') !== null) return;
        // The box of the row would be ticked alone.
        event.preventDefault();
        event.stopPropagation();
        onSelect(link.id, true);
      }}
    >
      <Checkbox
        aria-label={words.selectRow(url)}
        isSelected={isSelected}
        onChange={() => onSelect(link.id, false)}
        excludeFromTabOrder={false}
      />
      <span className={css.mark}>
        <SiteMark host={host} address={link.destination.value} />
      </span>
      <div className={css.names}>
        <p className={css.short}>
          <Link
            to="/links/$id"
            params={{ id: link.id }}
            className={`bare clip ${css.shortLink}`}
            data-row-link=""
            tabIndex={isFocused ? 0 : -1}
          >
            {url}
          </Link>
          <CopyButton text={link.originUrl} label={words.copy} />
        </p>
        <p className="clip quiet small" title={link.destination.value}>
          {link.title === null ? link.destination.value : `${link.title} · ${host}`}
        </p>
        {state === 'flagged' && (
          <p className={`small ${layout.bad}`}>{words.flaggedRow(link.destination.threatTypes ?? [])}</p>
        )}
      </div>
      <div className={css.marks}>
        {!hidden.includes('state') && state !== 'active' && (
          <Chip tone={stateTones[state]}>{words.stateNames[state]}</Chip>
        )}
        {!hidden.includes('labels') && (
          <>
            {isFolderShown && (
              <Label kind="folder" color={link.folder.color}>
                {link.folder.name}
              </Label>
            )}
            {link.tags.slice(0, shownTags).map(({ id, name, color }) => (
              <Label key={id} kind="tag" color={color}>
                {name}
              </Label>
            ))}
            {others.length > 0 && (
              <span className="quiet small" title={others.join(', ')}>
                +{others.length} <span className="visually-hidden">{others.join(', ')}</span>
              </span>
            )}
            {link.hasPassword && <Mark name="lock" label={words.hasPassword} />}
            {link.destination.enableDeepLinking && <Mark name="mobile" label={words.hasApp} />}
            {link.expiresAt !== null && state !== 'expired' && (
              <Mark name="calendar" label={words.ends(format.moment(link.expiresAt))} />
            )}
          </>
        )}
      </div>
      <div className={css.numbers}>
        {!hidden.includes('clicks') && (
          <Link to="/stats" search={{ link: [link.id] }} className={`bare tabular ${css.clicks}`}>
            {link.maxClicks === null
              ? words.clicks(link.currentClicks)
              : words.ofCap(format.number(link.currentClicks), words.clicks(link.maxClicks))}
          </Link>
        )}
        {!hidden.includes('times') && (
          <p className={`quiet small ${css.times}`}>
            {link.lastClickedAt === null ? (
              <time dateTime={link.createdAt} title={format.whole(link.createdAt)}>
                {words.made} {format.ago(link.createdAt, now)}
              </time>
            ) : (
              <time dateTime={link.lastClickedAt} title={times}>
                {words.lastClick} {format.ago(link.lastClickedAt, now)}
              </time>
            )}
          </p>
        )}
      </div>
      <div className={css.rowActions}>
        <IconButton icon="qr" size="small" label={words.qr} hint={keyHint('q')} onPress={() => onAct('qr', link)} />
        <Menu
          label={words.actions}
          trigger={
            <Button size="small" variant="plain" icon="more" aria-label={`${words.actions}: ${url}`}>
              {''}
            </Button>
          }
          groups={[
            [
              action('edit', { label: words.edit, icon: 'edit', keys: keyHint('e') }),
              action('duplicate', { label: words.duplicate, icon: 'duplicate' }),
              {
                id: 'open',
                label: words.open,
                icon: 'external',
                onAction: () => window.open(link.originUrl, '_blank', 'noreferrer'),
              },
            ],
            [
              action('tag', { label: words.tagThem, icon: 'tag', keys: keyHint('t') }),
              action('move', { label: words.moveThem, icon: 'folder', keys: keyHint('m') }),
              action('power', {
                label: link.isActive ? words.switchOff : words.switchOn,
                icon: 'power',
                keys: keyHint('o'),
              }),
              action('archive', { label: link.isArchived ? words.restore : words.archive, icon: 'archive' }),
            ],
            [action('delete', { label: words.delete, icon: 'trash', isDanger: true })],
          ]}
        />
      </div>
    </li>
  );
});

function Mark({ name, label }: { name: 'lock' | 'mobile' | 'calendar'; label: string }) {
  return (
    <span className="quiet" title={label} role="img" aria-label={label}>
      <Icon name={name} size={16} />
    </span>
  );
}
