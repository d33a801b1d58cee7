import { paint } from './draw.ts';

/** A way in which a code is met: its side in pixels, how much it is blurred, and the ground around it. */
const trials = [
  { name: 'small', side: 80, blur: 0, ground: '#ffffff' },
  { name: 'normal', side: 160, blur: 0, ground: '#ffffff' },
  { name: 'large', side: 400, blur: 0, ground: '#ffffff' },
  { name: 'blurred', side: 160, blur: 0.8, ground: '#ffffff' },
  { name: 'dark', side: 160, blur: 0, ground: '#101014' },
] as const;

type Trial = (typeof trials)[number]['name'];

const surroundings = 40;

interface Scanner {
  read(picture: ImageData): Promise<string | null>;
}

let scanner: Scanner | undefined;

/** @returns the trials in which a scanner does not read the text from the code. */
export async function tryOut(svg: string, text: string): Promise<Trial[]> {
  scanner ??= createScanner();
  const failed: Trial[] = [];
  for (const { name, side, blur, ground } of trials) {
    const canvas = await paint(svg, side, { blur, ground, quiet: surroundings });
    const picture = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    if ((await scanner.read(picture)) !== text) failed.push(name);
  }
  return failed;
}

function createScanner(): Scanner {
  const worker = new Worker(new URL('./try-out.worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, (text: string | null) => void>();
  let next = 1;
  worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; text: string | null }>) => {
    waiting.get(data.id)?.(data.text);
    waiting.delete(data.id);
  });
  return {
    read: (picture) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
        worker.postMessage({ id, picture });
      }),
  };
}
