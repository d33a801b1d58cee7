import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const mostBytes = 16 * 1_024 * 1_024;
const lookEveryMs = 100;

/**
 * Keeps the space of young objects at 16 MiB. V8 would let it grow to 128 MiB under load, which gains little: what a visit
 * leaves behind is dead long before. `--max-semi-space-size` says it better, but is for whoever starts the process; so where
 * that was not said, the space is kept from growing once it is large enough, and may grow again after it has shrunk.
 */
export function keepYoungSmall(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (given.includes('semi-space-size')) return;
  let isHeld = false;
  setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const isLarge = young !== undefined && young.space_size >= mostBytes;
    if (isLarge === isHeld) return;
    isHeld = isLarge;
    setFlagsFromString(`--semi-space-growth-factor=${isHeld ? 1 : 2}`);
  }, lookEveryMs).unref();
}
