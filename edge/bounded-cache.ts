import { copyText } from '#core/lib/copy-text.ts';

/** A map of bounded size that evicts entries which were not used for a while. */
interface BoundedCache<V> {
  get(key: string): V | undefined;
  /** As `get`, without marking the entry as used. */
  peek(key: string): V | undefined;
  /** Keeps a copy of `key`. A value that would take more than half of `maxBytes` is not kept. */
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
  /** Estimated bytes of keys and values. */
  readonly bytes: number;
}

interface BoundedCacheLimits<V> {
  /** Most values that are kept. */
  max: number;
  /** Most bytes that keys and values may take together. */
  maxBytes: number;
  /** Estimated bytes of a value beside its slot; unset: none. */
  bytesOf?(value: V): number;
}

interface Slot<V> {
  value: V;
  isUsed: boolean;
  bytes: number;
}

// The search for an unused entry passes over so many used ones; then it evicts the next, used or not: bounds the cost of a `set`.
const maxPassedOver = 100;
// Slot, entry of the Map and head of the key: 130 bytes measured on Node 24 with a million keys.
const slotBytes = 130;

/**
 * Keeps at most `max` values, and at most `maxBytes` of them with their keys. A hit, which is by far the most frequent call,
 * only marks its value. Where room is needed, a hand goes round as on a clock, takes marks away, and takes out the first
 * value that has none.
 */
export function createBoundedCache<V>({ max, maxBytes, bytesOf }: BoundedCacheLimits<V>): BoundedCache<V> {
  const slots = new Map<string, Slot<V>>();
  let bytes = 0;

  // Kept between calls: a new iterator would pass over the slots of deleted entries again.
  let hand = slots.entries();

  function remove(key: string): void {
    const slot = slots.get(key);
    if (slot === undefined) return;
    slots.delete(key);
    bytes -= slot.bytes;
  }

  const hasRoom = (size: number): boolean => slots.size < max && bytes + size <= maxBytes;

  function makeRoom(): void {
    for (let passedOver = 0; slots.size > 0;) {
      const next = hand.next();
      if (next.done === true) {
        hand = slots.entries();
        continue;
      }
      const [key, slot] = next.value;
      if (!slot.isUsed || passedOver === maxPassedOver) {
        remove(key);
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
      // Two bytes a character: that many are taken where one of them is not Latin-1.
      const size = slotBytes + 2 * key.length + (bytesOf?.(value) ?? 0);
      const slot = slots.get(key);
      if (slot !== undefined && slot.bytes === size) {
        slot.value = value;
        return;
      }
      const isUsed = slot?.isUsed ?? false;
      remove(key);
      if (size > maxBytes / 2) return;
      while (!hasRoom(size)) makeRoom();
      slots.set(copyText(key), { value, isUsed, bytes: size });
      bytes += size;
    },
    delete: remove,
    clear() {
      slots.clear();
      bytes = 0;
    },
    get size() {
      return slots.size;
    },
    get bytes() {
      return bytes;
    },
  };
}
