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

let scanner: Worker | undefined;

/** @returns the trials in which a scanner does not read the text from the code. */
export async function tryOut(svg: string, text: string): Promise<Trial[]> {
  scanner ??= new Worker(new URL('./try-out.worker.ts', import.meta.url), { type: 'module' });
  const failed: Trial[] = [];
  for (const { name, side, blur, ground } of trials) {
    const canvas = await paint(svg, side, { blur, ground, quiet: surroundings });
    const picture = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    if ((await scan(scanner, picture)) !== text) failed.push(name);
  }
  return failed;
}

/** @returns the text that is read from a picture; null: none. */
function scan(worker: Worker, picture: ImageData): Promise<string | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener('message', ({ data }: MessageEvent<string | null>) => {
      resolve(data);
      port1.close();
    });
    port1.start();
    worker.postMessage(picture, [port2]);
  });
}
