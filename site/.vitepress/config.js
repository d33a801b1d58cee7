import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

// Written by scripts/build/site.ts from docs/ before each build.
const pages = join(import.meta.dirname, '../.pages');
const groups = JSON.parse(readFileSync(join(pages, 'groups.json'), 'utf8'));
const addressOf = (path) => `/${path.replace(/(?:index)?\.md$/, '')}`;

export default defineConfig({
  title: 'Waymark',
  description: 'A link-shortening platform on a durable engine, hosted by yourself.',
  lang: 'en',
  base: '/docs/',
  srcDir: pages,
  outDir: '../dist/site.next',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // The data of pages stands in files of their own: scripts within pages would need to be allowed one by one.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  // The addresses that GitHub gives to headings, by which pages link to them.
  markdown: {
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
    },
    config({ renderer: { rules } }) {
      const show = rules.code_inline;
      // VitePress does this for blocks of code alone: Vue would compute `{{…}}` in a span of code.
      rules.code_inline = (...args) => show(...args).replace('<code', '<code v-pre');
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'API', link: '/api/' },
      { text: 'Operating', link: '/operations' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: groups.map(({ title, pages: listed }) => ({
      text: title,
      collapsed: title === 'Contributors',
      items: listed.map((page) => ({ text: page.title, link: addressOf(page.path) })),
    })),
  },
});
