/** Tells who uses a process now. */
interface Presence {
  /** Notes that an organization uses the process. */
  note(name: string): void;
  /** Whether another one than `name` has used it within the last second. */
  isBesideOthers(name: string): boolean;
}

const presentForMs = 1_000;

export function createPresence(monotonicMs = () => performance.now()): Presence {
  // Two names are enough: the latest one, and the latest one that differs from it.
  let latest = { name: '', atMs: Number.NEGATIVE_INFINITY };
  let other = latest;
  return {
    note(name) {
      if (latest.name !== name) other = latest;
      latest = { name, atMs: monotonicMs() };
    },
    isBesideOthers(name) {
      const { atMs } = latest.name === name ? other : latest;
      return monotonicMs() - atMs < presentForMs;
    },
  };
}
