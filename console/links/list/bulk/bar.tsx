import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LinkFilters, LinkPatch } from '#console/api/links/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { useKeyHint, useModKey } from '#console/app/keys.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { download } from '#console/ui/browser/download.ts';
import { useRun } from '#console/ui/browser/use-run.ts';
import { Menu } from '#console/ui/menu.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { Progress } from '#console/ui/progress.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { CampaignDialog } from './campaign-dialog.tsx';
import { exportSelected } from './export.ts';
import { type BulkProgress, runBulk } from './run.ts';
import { type BulkTask, TaskDialog } from './task-dialog.tsx';
import { UndoableChange } from './undo.ts';
import { useSayChanged } from './use-bulk-undo.ts';
import { countSelected, isSelected, nothing, type Selection } from '#console/links/list/selection.ts';
import css from '#console/links/list/list.module.css';
import { useBulkWords } from './words.ts';

/** Links of which something was not done, with reasons. */
interface Failures {
  title: string;
  rows: BulkProgress['failed'];
}

const noFailures: Failures = { title: '', rows: [] };

interface BulkBarProps {
  selection: Selection;
  filters: LinkFilters;
  rows: readonly ShortLinkItem[];
  /** How many links the filters find. */
  count: number;
  task: BulkTask | undefined;
  onTask: (task: BulkTask | undefined) => void;
  onSelection: (selection: Selection) => void;
  onDelete: () => void;
  /** Called when a change has ended: the button that began it is gone. */
  onEnd: () => void;
}

// A choice. Measured: 1,912 plain codes took 13 s and made an archive of 4.3 MB.
const mostCodes = 5_000;

/** What can be done with the selected links, and how far it is. */
export function BulkBar({ selection, filters, rows, count, task, onTask, onSelection, onDelete, onEnd }: BulkBarProps) {
  const words = useLinkWords();
  const bulk = useBulkWords();
  const mod = useModKey();
  const keyHint = useKeyHint();
  const queries = useQueryClient();
  const { progress, setProgress, run, stop } = useRun<BulkProgress>();
  const [failed, setFailed] = useState<Failures>(noFailures);
  const [isArchiving, setArchiving] = useState(false);
  const selected = countSelected(selection);
  const first: BulkProgress = { done: 0, all: selected, failed: [] };
  const known = rows.filter(({ id }) => isSelected(selection, id));
  const isAllKnown = known.length === selected;
  // Of links of other pages the filters tell: without the state lists leave archived links out.
  const { states = ['active'] } = filters;
  const mayHave = (isArchived: boolean): boolean =>
    known.some((link) => link.isArchived === isArchived) ||
    (!isAllKnown && (selection.kind === 'rows' || states.some((state) => (state === 'archived') === isArchived)));
  const tags = known.flatMap((link) => link.tags);
  const ownTags = isAllKnown ? [...new Map(tags.map((tag) => [tag.id, tag])).values()] : undefined;
  const sayChanged = useSayChanged();

  async function changeAll(change: LinkPatch): Promise<void> {
    onTask(undefined);
    setFailed(noFailures);
    const undoable = new UndoableChange(change);
    await run({
      first,
      onFailed: (error) => sayFailed(bulk.failed(selected), error),
      work: async (signal) => {
        const result = await runBulk({
          selection,
          filters,
          change: (ids) => undoable.send(ids),
          onProgress: setProgress,
          signal,
        });
        sayChanged(result.done - result.failed.length, undoable);
        setFailed({
          title: `${bulk.failed(result.failed.length)} ${bulk.failedHint(result.failed.length)}`,
          rows: result.failed,
        });
        onSelection(
          result.failed.length === 0 ? nothing : { kind: 'rows', ids: new Set(result.failed.map(({ id }) => id)) },
        );
      },
    });
    onEnd();
    void queries.invalidateQueries({ queryKey: ['links'] });
    void queries.invalidateQueries({ queryKey: ['tags'] });
  }

  const saveCsv = (): Promise<void> =>
    run({
      first,
      onFailed: (error) => sayFailed(bulk.notExported, error),
      work: async (signal) => {
        const csv = await exportSelected(selection, filters, signal);
        download(new Blob([csv], { type: 'text/csv;charset=utf-8' }), 'short-links.csv');
      },
    });

  /** Packs the codes into a ZIP. The links stay selected. */
  function downloadCodes(): Promise<void> {
    setFailed(noFailures);
    return run({
      first,
      onFailed: (error) => sayFailed(bulk.codesFailed, error),
      work: async (signal) => {
        const { zipQrCodes } = await import('#console/links/qr/zip.ts');
        const result = await zipQrCodes({ selection, filters, onProgress: setProgress, signal });
        if (result === undefined) return;
        const { zip, drawn, failed: rows } = result;
        if (drawn > 0) {
          download(zip, 'qr-codes.zip');
          sayDone(bulk.codesDone(drawn));
        }
        setFailed({ title: bulk.notDrawn(rows.length), rows });
      },
    });
  }

  if (progress !== undefined) {
    return (
      <div className={css.bulk} role="status">
        <Progress label={words.actions} done={progress.done} total={progress.all} />
        <span className="tabular">{bulk.running(progress.done, progress.all)}</span>
        <Button size="small" onPress={stop}>
          {words.stop}
        </Button>
      </div>
    );
  }
  return (
    <>
      <div className={css.bulk} role="toolbar" aria-label={words.actions}>
        <strong>{words.selected(selected)}</strong>
        {selection.kind === 'rows' && selected < count && (
          <Button
            size="small"
            variant="plain"
            hint={`${mod} A`}
            onPress={() => onSelection({ kind: 'all', count, except: new Set() })}
          >
            {words.selectAll(count)}
          </Button>
        )}
        <Button size="small" icon="tag" hint={keyHint('t')} onPress={() => onTask('tag')}>
          {words.tagThem}
        </Button>
        <Button size="small" icon="folder" hint={keyHint('m')} onPress={() => onTask('move')}>
          {words.moveThem}
        </Button>
        <Button size="small" icon="power" onPress={() => void changeAll({ isActive: false })}>
          {words.switchOff}
        </Button>
        <Button
          size="small"
          icon="qr"
          isDisabled={selected > mostCodes}
          hint={selected > mostCodes ? bulk.tooManyCodes(mostCodes) : undefined}
          onPress={() => void downloadCodes()}
        >
          {bulk.codes}
        </Button>
        <Button size="small" icon="trash" onPress={onDelete}>
          {words.delete}
        </Button>
        <Menu
          label={words.more}
          trigger="more"
          groups={[
            [
              { id: 'untag', label: bulk.untagThem, icon: 'tag', onAction: () => onTask('untag') },
              { id: 'on', label: words.switchOn, icon: 'power', onAction: () => void changeAll({ isActive: true }) },
              mayHave(false) && {
                id: 'archive',
                label: words.archive,
                icon: 'archive',
                onAction: () => setArchiving(true),
              },
              mayHave(true) && {
                id: 'restore',
                label: words.restore,
                icon: 'undo',
                onAction: () => void changeAll({ isArchived: false }),
              },
            ],
            [
              { id: 'end', label: bulk.setEnd, icon: 'calendar', onAction: () => onTask('end') },
              {
                id: 'destination',
                label: bulk.setDestination,
                icon: 'arrowRight',
                onAction: () => onTask('destination'),
              },
              { id: 'campaign', label: bulk.setCampaign, icon: 'template', onAction: () => onTask('campaign') },
            ],
            [{ id: 'csv', label: bulk.csv, icon: 'download', onAction: () => void saveCsv() }],
          ]}
        />
        <Button size="small" variant="plain" onPress={() => onSelection(nothing)}>
          {words.unselect}
        </Button>
      </div>
      {isArchiving && (
        <ArchiveDialog
          count={selected}
          onArchive={() => void changeAll({ isArchived: true })}
          onClose={() => setArchiving(false)}
        />
      )}
      {failed.rows.length > 0 && (
        <Notice tone="bad" icon="warning">
          <p>{failed.title}</p>
          <ul className={`small ${css.reasons}`}>
            {Object.entries(Object.groupBy(failed.rows, ({ reason }) => reason)).map(([reason, rows = []]) => (
              <li key={reason}>
                {reason} ({rows.length})
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {task === 'campaign' ? (
        <CampaignDialog count={selected} onApply={changeAll} onClose={() => onTask(undefined)} />
      ) : (
        task !== undefined && (
          <TaskDialog
            key={task}
            task={task}
            count={selected}
            ownTags={ownTags}
            onApply={changeAll}
            onClose={() => onTask(undefined)}
          />
        )
      )}
    </>
  );
}
