import { useSyncExternalStore } from 'react';
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
  action?: { label: string; onPress: () => void } | undefined;
}

const doneForMs = 6_000;
// Long enough to read, look at the list and decide.
const undoableForMs = 15_000;
const most = 4;

let messages: readonly Message[] = [];
let nextId = 1;
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
  set([...messages.slice(1 - most), { id: nextId++, kind: 'failed', text: tried, error, action: again }]);
}

function reasonOf(error: unknown, words: ReturnType<typeof useUiWords>): string {
  return error instanceof ApiError && error.code === 'ACTION_NOT_ALLOWED' ? words.notAllowed : messageOf(error);
}

/** The messages at the foot of the page, which screen readers hear as they come. */
export function Messages() {
  const words = useUiWords();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div className={css.region} role="region" aria-label={words.messages}>
      <div role="status" aria-live="polite" className={css.stack}>
        {shown.map(({ id, kind, text, error, action }) => (
          <div key={id} className={[css.message, kind === 'failed' ? css.failed : ''].join(' ')}>
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
        ))}
      </div>
    </div>
  );
}
