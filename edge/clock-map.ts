/** A map of bounded size that forgets what has not been asked for in a while. */
export interface ClockMap<V> {
  get(key: string): V | undefined;
  /** As `get`, but it does not count as being asked for. */
  peek(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

// So many keys in use are passed over for one that is not; then the next one goes, used or not.
const maxPassedOver = 100;

/**
 * Keeps at most `max` values. A hit, which is nearly all that ever happens, only marks its value. Where room is needed, a
 * hand goes round as on a clock, takes marks away, and takes out the first value that has none.
 */
export function createClockMap<V>(max: number): ClockMap<V> {
  const slots = new Map<string, { value: V; isUsed: boolean }>();

  // Kept from one time to the next: to begin anew it would have to pass over all that was taken out before.
  let hand = slots.entries();

  function makeRoom(): void {
    for (let passedOver = 0; ;) {
      const next = hand.next();
      if (next.done === true) {
        hand = slots.entries();
        continue;
      }
      const [key, slot] = next.value;
      if (!slot.isUsed || passedOver === maxPassedOver) {
        slots.delete(key);
        return;
      }
      slot.isUsed = false;
      passedOver += 1;
    }
  }

  return {
    get(key) {
      const slot = slots.get(key);
      if (slot === undefined) return undefined;
      slot.isUsed = true;
      return slot.value;
    },
    peek: (key) => slots.get(key)?.value,
    set(key, value) {
      const slot = slots.get(key);
      if (slot !== undefined) {
        slot.value = value;
        return;
      }
      if (slots.size >= max) makeRoom();
      slots.set(key, { value, isUsed: false });
    },
    delete: (key) => void slots.delete(key),
    clear: () => slots.clear(),
    get size() {
      return slots.size;
    },
  };
}
