// Values that survive a reload: `localStorage` also a closed browser, `sessionStorage` as long as the tab lives.

type Store = 'localStorage' | 'sessionStorage';

/** Keeps a value as JSON. Where the browser's store is full or switched off, it lives as long as the page. */
export function keep(store: Store, name: string, value: unknown): void {
  try {
    window[store].setItem(name, JSON.stringify(value));
  } catch {}
}

/** @returns the value that was kept last; undefined: none. */
export function readKept(store: Store, name: string): unknown {
  try {
    return JSON.parse(window[store].getItem(name) ?? '');
  } catch {
    return undefined;
  }
}

export function forgetKept(store: Store, name: string): void {
  window[store].removeItem(name);
}
