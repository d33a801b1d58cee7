import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const mostYoungBytes = 16 * 1_024 * 1_024;
const lookEveryMs = 100;
// Of what lives; V8 by itself lets the heap become several times as large before it looks for what does not.
const growingPercent = 30;

/**
 * Keeps the heap from growing far beyond what lives in it: an edge is to stay within 200 MB with all its links in memory, and
 * whatever else a process has, its workflows' heaps included, is not to cost several times as much as it is.
 *
 * The space of young objects stays at 16 MiB. V8 would let it grow to 128 MiB under load, which gains little: what a visit
 * or a delivery leaves behind is dead long before. `--max-semi-space-size` says it better, but is for whoever starts the
 * process; so where that was not said, the space is kept from growing once it is large enough, and may grow again after it
 * has shrunk.
 */
export function keepHeapSmall(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (!given.includes('heap-growing-percent')) setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  if (given.includes('semi-space-size')) return;
  let isHeld = false;
  setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const isLarge = young !== undefined && young.space_size >= mostYoungBytes;
    if (isLarge === isHeld) return;
    isHeld = isLarge;
    setFlagsFromString(`--semi-space-growth-factor=${isHeld ? 1 : 2}`);
  }, lookEveryMs).unref();
}
