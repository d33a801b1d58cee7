import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Makes a folder, which the end of the run removes. */
export const makeFolder = (): string => mkdtempSync(join(inject('stack').folder, 'test-'));
