import { resolve } from 'node:path';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = import.meta.dirname;
// `npm run console -- --watch` gives the address of the API that answers; its sign-in cookie asks for its own Origin.
const api = process.env.CONSOLE_API ?? 'http://localhost:3000';

/** How the console is built and, while it is being written, served (docs/console.md). */
export default defineConfig({
  root: here,
  // Relative, because an installation may serve its API below a path.
  base: './',
  resolve: {
    alias: [
      { find: /^#core\//, replacement: `${resolve(here, '../core')}/` },
      { find: /^#console\//, replacement: `${here}/` },
    ],
    dedupe: ['react', 'react-dom'],
  },
  plugins: [
    // React Aria's own sentences, in the languages of the console alone.
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' },
    react(),
  ],
  // api/console puts a fresh nonce in its place for each answer.
  html: { cspNonce: 'WAYMARK_NONCE' },
  css: { modules: { generateScopedName: '[name]-[local]-[hash:base64:4]' } },
  worker: { format: 'es' },
  build: {
    outDir: resolve(here, '../dist/console.next'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Data URLs for fonts or pictures would need a wider policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    manifest: 'manifest.json',
    reportCompressedSize: false,
    // What the first page needs is one file: parts that other chunks share would compress worse, as files of their own.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  server: {
    port: 0,
    proxy: Object.fromEntries(
      [
        '/auth',
        '/short-link',
        '/stats',
        '/domain',
        '/folder',
        '/tag',
        '/files',
        '/webhook',
        '/organization',
        '/api-key',
        '/events',
        '/utm-template',
        '/link-preview',
        '/trpc',
      ].map((path) => [path, { target: api, changeOrigin: true, headers: { origin: new URL(api).origin } }]),
    ),
  },
});
