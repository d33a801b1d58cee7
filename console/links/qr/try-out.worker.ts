import read from 'jsqr';

// Reads pictures as a scanner would, apart from the page: a large one takes some 100 ms.

interface Question {
  id: number;
  picture: ImageData;
}

self.addEventListener('message', ({ data: { id, picture } }: MessageEvent<Question>) => {
  const found = read(picture.data, picture.width, picture.height, { inversionAttempts: 'dontInvert' });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  self.postMessage({ id, text: found?.data ?? null });
});
