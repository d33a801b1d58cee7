import { constants as osConstants, setPriority } from 'node:os';

/** Makes this process one that works beside a running product: at the lowest priority, and ended when the process that began it ends. */
export function workBesideParent(): void {
  setPriority(osConstants.priority.PRIORITY_LOW);
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // A listener keeps the channel open, and with it this process once its work is done.
  process.channel?.unref();
}
