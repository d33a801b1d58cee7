import read from 'jsqr';

// Reads pictures as a scanner would, apart from the page: a large one takes some 100 ms. The answer goes to the port beside the picture.
self.addEventListener('message', ({ data, ports: [port] }: MessageEvent<ImageData>) => {
  const found = read(data.data, data.width, data.height, { inversionAttempts: 'dontInvert' });
  port?.postMessage(found?.data ?? null);
});
