import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { type LabelKind, labelListQuery, labelsPerPage } from '#console/api/links/labels.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import type { LinksSearch } from '#console/links/search.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import type { LabelsSearch } from '#console/organize/search.ts';
import { type RowActions, TablePage } from '#console/organize/table-page.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import { DeleteLabelDialog } from './delete-dialog.tsx';
import { LabelForm } from './form.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { Swatch, useColorName } from './swatch.tsx';
import css from '#console/organize/organize.module.css';
import { IconButton } from '#console/ui/button.tsx';
import { Link, useNavigate } from '@tanstack/react-router';
import { Menu } from '#console/ui/menu.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useRefusal } from '#console/app/can.ts';
import { Chip } from '#console/ui/page/states.tsx';

type Label = Folder | Tag;

/** /folders */
export function FoldersPage() {
  return <LabelsPage kind="folder" />;
}

/** /tags */
export function TagsPage() {
  return <LabelsPage kind="tag" />;
}

function LabelsPage({ kind }: { kind: LabelKind }) {
  const words = useOrganizeWords();
  const { search } = usePageSearch<LabelsSearch>();
  const { q = '', page = 1 } = search;
  const [asked, setAsked] = useState<{ what: 'delete' | 'merge'; label: Label }>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <TablePage<Label>
        words={words[kind]}
        icon={kind}
        command={`curl -X POST ${apiBase()}/${kind} -H 'x-api-key: …' \\\n  --json '{"name":"Spring"}'`}
        query={useQuery(labelListQuery(kind, { search: q, page: page - 1, withCounts: true }))}
        perPage={labelsPerPage}
        columns={[
          { name: words.name },
          { name: words.color, className: css.wide },
          { name: words.links, className: css.number },
          { name: words.made, className: css.wide },
        ]}
        rowClass={css.label!}
        renderForm={(label, _from, onClose) => <LabelForm kind={kind} label={label} onClose={onClose} />}
        renderRow={(label, actions) => (
          <Cells kind={kind} label={label} actions={actions} onAsk={(what) => setAsked({ what, label })} />
        )}
      />
      {asked?.what === 'delete' && <DeleteLabelDialog kind={kind} label={asked.label} onClose={close} />}
      {asked?.what === 'merge' && <MergeDialog kind={kind} label={asked.label} onClose={close} />}
    </>
  );
}

interface CellsProps {
  kind: LabelKind;
  label: Label;
  actions: RowActions;
  onAsk: (what: 'delete' | 'merge') => void;
}

function Cells({ kind, label, actions, onAsk }: CellsProps) {
  const words = useOrganizeWords();
  const format = useFormat();
  const colorName = useColorName();
  const navigate = useNavigate();
  const refusedUpdate = useRefusal('shortLinks', 'update');
  const refusedDelete = useRefusal('shortLinks', 'delete');
  const isDefault = 'isDefault' in label && label.isDefault;
  const stays = isDefault ? words.staysDefault : undefined;
  // Tags go by name, as the filters of the list do.
  const links: LinksSearch = kind === 'folder' ? { folder: [label.id] } : { tag: [label.name] };
  return (
    <>
      <span role="cell" className={css.name}>
        <Swatch color={label.color} />
        <Link to="/links" search={links}>
          {label.name}
        </Link>
        {isDefault && <Chip>{words.isDefault}</Chip>}
      </span>
      <span role="cell" className={[css.wide, 'quiet'].join(' ')}>
        {colorName(label.color)}
      </span>
      <span role="cell" className={css.number}>
        {label.links === undefined ? '' : format.number(label.links)}
      </span>
      <span role="cell" className={css.wide}>
        <Moment at={label.createdAt} as="day" className="quiet" />
      </span>
      <span role="cell" className={css.end}>
        <Menu
          label={words.actions(label.name)}
          trigger={<IconButton icon="more" label={words.actions(label.name)} />}
          groups={[
            [
              {
                id: 'links',
                label: words.showLinks,
                icon: 'link',
                onAction: () => void navigate({ to: '/links', search: links }),
              },
              { id: 'edit', label: words.rename, icon: 'edit', onAction: actions.edit, refusal: refusedUpdate },
              {
                id: 'merge',
                label: words[kind].merge,
                icon: 'move' as const,
                onAction: () => onAsk('merge'),
                refusal: stays ?? refusedUpdate ?? refusedDelete,
              },
            ],
            [
              {
                id: 'delete',
                label: words.delete,
                icon: 'trash',
                isDanger: true,
                onAction: () => onAsk('delete'),
                refusal: stays ?? refusedDelete,
              },
            ],
          ]}
        />
      </span>
    </>
  );
}
