import { LRUCache } from 'lru-cache';
import { copyText } from './copy-text.ts';

/** Remembers what `read` makes of the last `max` texts, without what they were cut from. */
export function rememberTexts<T extends object | string>(max: number, read: (text: string) => T): (text: string) => T {
  const known = new LRUCache<string, T>({ max });
  return (text) => {
    let value = known.get(text);
    if (value === undefined) known.set(copyText(text), (value = read(text)));
    return value;
  };
}
