import { readFile, stat } from 'node:fs/promises';

interface RereadFileOptions<T> {
  path: string;
  /** @throws Error where the content is unusable. */
  parse(bytes: Buffer): T;
  /** Called after a changed file was read again. */
  onReread(content: T): void;
  /** Called once for each change after which the file is missing or unusable; the content read before stays. */
  onUnreadable(error: Error): void;
}

/** A file that may change while the process runs. */
interface RereadFile<T> {
  /** What the file held when it was last usable. */
  readonly content: T;
  /** Reads the file again where it has changed. Never rejects; calls beside each other share one check. */
  check(): Promise<void>;
}

/** @throws (rejects) Error where the file cannot be read or its content is unusable. */
export async function openRereadFile<T>({
  path,
  parse,
  onReread,
  onUnreadable,
}: RereadFileOptions<T>): Promise<RereadFile<T>> {
  // Before the content: a change in between is then seen by the next check.
  let stamp = await stampOf(path);
  let content = parse(await readFile(path));
  let checking: Promise<void> | undefined;

  async function reread(): Promise<void> {
    const current = await stampOf(path).catch((error: Error) => error.message);
    if (current === stamp) return;
    stamp = current;
    try {
      content = parse(await readFile(path));
    } catch (error) {
      onUnreadable(error as Error);
      return;
    }
    onReread(content);
  }

  return {
    get content() {
      return content;
    },
    check: () => (checking ??= reread().finally(() => (checking = undefined))),
  };
}

/** Inode, size and time of change. */
async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  return `${ino} ${size} ${mtimeMs}`;
}
