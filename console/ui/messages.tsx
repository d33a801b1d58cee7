import { useEffect, useId, useSyncExternalStore } from 'react';
import { ApiError, messageOf } from '#console/api/error.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, IconButton } from './button.tsx';
import { CallId } from './text/call-id.tsx';
import { Icon } from './icon.tsx';
import css from './messages.module.css';

interface Message {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  /** Why it failed. */
  error?: unknown;
  /** Whether a dialog was open, in which it is shown: the page is covered and silent for screen readers meanwhile. */
  isOfDialog?: boolean;
  action?: { label: string; onPress: () => void } | undefined;
}

const doneForMs = 6_000;
// Long enough to read, look at the list and decide.
const undoableForMs = 15_000;
const most = 4;

let messages: readonly Message[] = [];
let nextId = 1;
/** Ids of the dialogs that are open, the one on top last. */
let dialogs: readonly string[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

function remove(id: number): void {
  set(messages.filter((message) => message.id !== id));
}

/** Says that something worked; the message goes by itself. @param action for instance Undo. */
export function sayDone(text: string, action?: Message['action']): void {
  const id = nextId++;
  set([...messages.slice(1 - most), { id, kind: 'done', text, action }]);
  setTimeout(() => remove(id), action === undefined ? doneForMs : undoableForMs);
}

/** Takes the message away that an earlier try of the same failed. @param tried as `sayFailed` had it. */
export function forgetFailed(tried: string): void {
  set(messages.filter(({ kind, text }) => kind !== 'failed' || text !== tried));
}

/**
 * Says that something failed; the message stays until it is closed, or another try ends.
 * @param tried what was tried, as a sentence. @param again tries it again.
 */
export function sayFailed(tried: string, error: unknown, again?: { label: string; onPress: () => void }): void {
  forgetFailed(tried);
  const isOfDialog = dialogs.length > 0;
  set([...messages.slice(1 - most), { id: nextId++, kind: 'failed', text: tried, error, action: again, isOfDialog }]);
}

/** Takes the messages away that a dialog shows, which the person closes. */
export function forgetFailedInDialog(): void {
  set(messages.filter(({ isOfDialog }) => isOfDialog !== true));
}

function reasonOf(error: unknown, words: ReturnType<typeof useUiWords>): string {
  return error instanceof ApiError && error.code === 'ACTION_NOT_ALLOWED' ? words.notAllowed : messageOf(error);
}

function useMessages(): { shown: readonly Message[]; top: string | undefined } {
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const shown = useSyncExternalStore(subscribe, () => messages);
  return { shown, top: useSyncExternalStore(subscribe, () => dialogs.at(-1)) };
}

/** The messages at the foot of the page, which screen readers hear as they come. */
export function Messages() {
  const words = useUiWords();
  const { shown, top } = useMessages();
  const isHere = ({ isOfDialog = false }: Message): boolean => !isOfDialog || top === undefined;
  return (
    <div className={css.region} role="region" aria-label={words.messages}>
      <div role="status" aria-live="polite" className={css.stack}>
        {shown.filter(isHere).map((message) => (
          <Line key={message.id} message={message} />
        ))}
      </div>
    </div>
  );
}

/** What failed while a dialog is open, in the dialog on top. */
export function DialogMessages() {
  const own = useId();
  const { shown, top } = useMessages();
  useEffect(() => {
    dialogs = [...dialogs, own];
    set(messages);
    return () => {
      dialogs = dialogs.filter((id) => id !== own);
      // One that a dialog leaves behind is the page's, not the next dialog's.
      set(dialogs.length > 0 ? messages : messages.map((message) => ({ ...message, isOfDialog: false })));
    };
  }, [own]);
  const failed = top === own ? shown.filter(({ isOfDialog }) => isOfDialog) : [];
  return (
    <div role="alert" className={failed.length === 0 ? '' : css.inDialog}>
      {failed.map((message) => (
        <Line key={message.id} message={message} />
      ))}
    </div>
  );
}

function Line({ message: { id, kind, text, error, action } }: { message: Message }) {
  const words = useUiWords();
  return (
    <div className={[css.message, kind === 'failed' ? css.failed : ''].join(' ')}>
      <Icon name={kind === 'failed' ? 'warning' : 'check'} />
      <div className={css.text}>
        <p>{kind === 'failed' ? `${text} ${reasonOf(error, words)}` : text}</p>
        <CallId error={error} className="quiet small" />
      </div>
      {action !== undefined && (
        <Button
          size="small"
          onPress={() => {
            remove(id);
            action.onPress();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" size="small" label={words.close} onPress={() => remove(id)} />
    </div>
  );
}
