import { vi } from 'vitest';

/** The address of the API that the page of `stubPage` names. */
export const pageBase = 'http://localhost:3000/waymark';

/** Puts the globals of a page that the client of the API reads into Node. The test takes them away by `vi.unstubAllGlobals()`. */
export function stubPage(base = pageBase): void {
  vi.stubGlobal('document', { querySelector: () => ({ content: base }) });
}
