import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#scripts/lib/paths.ts';

// `npm run pin-images`: adds the digest to each image tag in the repository's files. Docker reads the digests from the registries
// where the release is made; until then the repository has tags alone.

const folder = process.argv[2] ?? root;
const files = ['Dockerfile', 'deploy/compose.yaml'];
// Matches `ARG …_IMAGE=<image>` and `image: ${…_IMAGE:-<image>}`, with or without a digest.
const reference = /(_IMAGE(?:=|:-))([\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?/g;

function digestOf(image: string): string {
  const { stdout, stderr, status, error } = spawnSync(
    'docker',
    ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'],
    { encoding: 'utf8', timeout: 120_000 },
  );
  const digest = stdout?.trim() ?? '';
  if (status === 0 && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(`${image}: its digest cannot be learnt: ${error?.message ?? (stderr.trim() || digest)}`);
}

try {
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const images = new Set(texts.flatMap((text) => [...text.matchAll(reference)].map(([, , image]) => image!)));
  // Reads all digests before it writes: a partly pinned file would look pinned.
  const digests = new Map([...images].map((image) => [image, digestOf(image)]));
  for (const [index, text] of texts.entries()) {
    const pinned = text.replaceAll(
      reference,
      (_all, before: string, image: string) => `${before}${image}@${digests.get(image)!}`,
    );
    writeFileSync(join(folder, files[index]!), pinned);
  }
  for (const [image, digest] of digests) console.log(`${image}@${digest}`);
} catch (error) {
  console.error(`${(error as Error).message}\nNothing was changed.`);
  process.exitCode = 1;
}
