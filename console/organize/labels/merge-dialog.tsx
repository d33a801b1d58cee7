import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LabelKind, labelListQuery } from '#console/api/links/labels.ts';
import { refreshAfterOwnChange } from '#console/api/links/links.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { useRun } from '#console/ui/browser/use-run.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { Progress } from '#console/ui/progress.tsx';
import { useLinkCount } from './delete-dialog.tsx';
import { linksOf, mergeLabels } from './merge.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';

/** Gives the links of a folder or tag another one in its place. Closing the dialog stops it after the hundred that is under way. */
export function MergeDialog({ kind, label, onClose }: { kind: LabelKind; label: Folder | Tag; onClose: () => void }) {
  const words = useOrganizeWords();
  const own = words[kind];
  const queries = useQueryClient();
  const count = useLinkCount(linksOf(kind, label.id));
  const [text, setText] = useState('');
  const { data: labels } = useQuery(labelListQuery(kind, { search: text.trim() }));
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const { progress, setProgress, run, stop } = useRun<{ done: number; all: number }>();
  useEffect(() => stop, [stop]);
  const others = (labels?.data ?? []).filter(({ id }) => id !== label.id);

  async function merge(): Promise<void> {
    const into = others.find(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
    if (into === undefined) {
      setProblem(own.mergeChoose);
      return;
    }
    setProblem(undefined);
    setFailure(undefined);
    await run({
      first: { done: 0, all: 0 },
      onFailed: (error) => sayFailed(own.notMerged(label.name), error),
      onStopped: () => sayDone(own.mergeStopped(label.name)),
      work: async (signal) => {
        const result = await mergeLabels({ kind, from: label.id, into: into.id, onProgress: setProgress, signal });
        if (result.kind === 'failed') {
          setFailure(`${own.mergeFailed(result.failed.length)} ${result.failed[0]!.reason}`);
          return;
        }
        sayDone(result.kind === 'merged' ? words.merged(label.name, into.name) : own.mergeStopped(label.name));
        onClose();
      },
    });
    void queries.invalidateQueries({ queryKey: [`${kind}s`] });
    void refreshAfterOwnChange(queries);
  }

  return (
    <Dialog
      title={own.mergeTitle(label.name)}
      onClose={onClose}
      actions={
        progress === undefined ? (
          <>
            <Button variant="plain" slot="close">
              {words.cancel}
            </Button>
            <Button variant="primary" onPress={() => void merge()} isDisabled={text.trim() === ''}>
              {words.mergeNow}
            </Button>
          </>
        ) : (
          <Button onPress={stop}>{words.stop}</Button>
        )
      }
    >
      <p>{count === undefined ? words.counting : own.mergeText(count)}</p>
      <Alert text={failure} />
      {progress === undefined ? (
        <ComboBox
          label={own.mergeInto}
          autoFocus
          text={text}
          onText={setText}
          onEnter={() => void merge()}
          error={problem}
          choices={others.map(({ id, name }) => ({ id, label: name }))}
        />
      ) : (
        <div className={css.progress} role="status">
          <Progress label={words.mergeNow} done={progress.done} total={progress.all} />
          <span className="tabular">{words.merging(progress.done, progress.all)}</span>
        </div>
      )}
    </Dialog>
  );
}
