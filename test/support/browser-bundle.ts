import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from '#scripts/lib/paths.ts';

interface BrowserBundle {
  /** A script that leaves the exports of the module in the global variable `bundle`. */
  code: string;
  gzipBytes: number;
}

/**
 * Bundles a module for browsers, as the console is built.
 * @param path of the module, from the root of the checkout.
 * @throws Error that names a module of Node and the file that imports it.
 */
export async function bundleForBrowser(path: string): Promise<BrowserBundle> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: [{ find: /^#core\//, replacement: `${join(root, 'core')}/` }] },
    plugins: [
      {
        name: 'no-modules-of-node',
        enforce: 'pre',
        resolveId(id, importer) {
          // Vite would put an empty module in its place, and the build would pass.
          if (isBuiltin(id)) throw new Error(`${importer ?? path} imports ${id}, which no browser has`);
        },
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry: path, formats: ['iife'], name: 'bundle' },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('Vite built nothing.');
  const { code } = output.output[0];
  return { code, gzipBytes: gzipSync(code, { level: 9 }).byteLength };
}
