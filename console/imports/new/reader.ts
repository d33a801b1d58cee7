import type { CheckResult, CheckSettings } from './check-rows.ts';
import type { Answer, FileHead, Question } from './reader.worker.ts';

/** A file that cannot be read as links. The message completes "the file …". */
export class FileRefused extends Error {}

/** Reads one file apart from the page. */
export type FileReading = ReturnType<typeof openFile>;

export function openFile(file: Blob) {
  const worker = new Worker(new URL('./reader.worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, (answer: Answer) => void>();
  let next = 1;
  let checkId = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => waiting.get(data.id)?.(data));

  function ask(question: Question, onAnswer: (answer: Answer) => void): number {
    const id = next++;
    waiting.set(id, onAnswer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage({ id, ...question });
    return id;
  }
  const written = (question: Question): Promise<Blob> =>
    new Promise((resolve, reject) => {
      ask(question, (answer) => {
        if ('written' in answer) resolve(answer.written);
        else reject(new FileRefused('refused' in answer ? answer.refused : ''));
      });
    });
  const head = new Promise<FileHead>((resolve, reject) => {
    worker.addEventListener('error', (event) => reject(new Error(event.message)));
    ask({ ask: 'read', file }, (answer) => {
      if ('read' in answer) resolve(answer.read);
      else if ('refused' in answer) reject(new FileRefused(answer.refused));
    });
  });
  head.catch(() => {});
  return {
    /** Resolves with the head of the file. @throws FileRefused */
    head,
    /** Checks all rows; an earlier check ends. @param onResult hears of the progress. */
    check(settings: CheckSettings, onResult: (result: CheckResult) => void): void {
      waiting.delete(checkId);
      checkId = ask({ ask: 'check', settings }, (answer) => {
        if ('checked' in answer) onResult(answer.checked);
      });
    },
    /** The file with other names of columns. */
    write: (header: readonly string[]) => written({ ask: 'write', header }),
    /** A file of some rows, with why each failed in a last column. */
    pick: (rows: readonly { row: number; error: string }[]) => written({ ask: 'pick', rows }),
    close: () => worker.terminate(),
  };
}
