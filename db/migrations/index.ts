import { Spine } from './0001-spine.ts';

/** Every migration, oldest first. A name, once released, never changes. */
export const migrations = [{ name: '0001-spine', class: Spine }];
