import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtFolder } from '#scripts/lib/built-folder.ts';
import { installPackages, runIn } from '#scripts/lib/folder-packages.mjs';
import { workBesideParent } from '#scripts/lib/idle.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { findPython } from '#scripts/lib/python.ts';
import { joinPages, listPages } from '#scripts/site/agents.ts';
import { groupSamples, readGroups, readPages, type SiteGroup, type SitePage } from '#scripts/site/pages.ts';

// `npm run site`: builds the documentation site from docs/ into dist/site, which the API serves at /docs.

const source = join(root, 'site');
// Written anew by each build; site/.vitepress/config.js names both.
const written = join(source, '.pages');

const folder = builtFolder({
  name: 'site',
  inputs: [
    'docs',
    'README.md',
    'sdk/typescript/README.md',
    'sdk/python/README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'console/public/icon.svg',
    'site/package-lock.json',
    'site/.vitepress/config.js',
    'site/.vitepress/theme',
    'scripts/build/site.ts',
    'scripts/site',
    'scripts/release/pack.ts',
    // Its generated files change with the description of the API, of which all SDKs are made.
    'sdk/go',
    'cli',
    'mcp',
    'skills/waymark/SKILL.md',
    'integrations',
    ...globSync(['sdk/typescript/{package.json,src/*.ts}', 'sdk/python/{pyproject.toml,src/waymark/*.py}'], {
      cwd: root,
    }),
    'scripts/lib/built-folder.ts',
  ],
  async build(next) {
    const pages = readPages();
    const groups = readGroups(pages);
    writeSources(pages, groups);
    await runIn('site', process.execPath, [join(source, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.']);
    requireShown(next, pages);
    writeForAgents(next, pages, groups);
    await packPackages(join(next, 'packages'));
    return { isSentAsItIs: () => true };
  },
});

/** Whether the built site exists and matches its sources. */
export const isSiteFresh = (): boolean => folder.isFresh();

/**
 * Builds the site into `dist/site` unless that is fresh.
 * @returns whether it built. @throws Error when packages cannot be installed or the build fails.
 */
export async function buildSite(say: (line: string) => void): Promise<boolean> {
  if (folder.isFresh()) return false;
  await installPackages('site', say);
  return folder.build();
}

function writeSources(pages: readonly SitePage[], groups: readonly SiteGroup[]): void {
  rmSync(written, { recursive: true, force: true });
  // The search leaves out pages for contributors: a reader who searches for a task would find decision records first.
  const contributors = new Set(groups.find(({ title }) => title === 'Contributors')?.pages.map(({ path }) => path));
  for (const { path, text } of pages) {
    const isUnsearched = contributors.has(path) || /^(?:adr|recipes)\//.test(path);
    write(join(written, path), `${isUnsearched ? '---\nsearch: false\n---\n\n' : ''}${groupSamples(text)}`);
  }
  cpSync(join(root, 'docs/images'), join(written, 'images'), { recursive: true });
  mkdirSync(join(written, 'public'));
  cpSync(join(root, 'console/public/icon.svg'), join(written, 'public/icon.svg'));
  write(join(written, 'groups.json'), JSON.stringify(groups));
}

/** VitePress writes a page that fails in Vue without its text, and goes on. @throws Error that names such pages. */
function requireShown(next: string, pages: readonly SitePage[]): void {
  const empty = pages.filter(
    ({ path }) => !readFileSync(join(next, path.replace(/md$/, 'html')), 'utf8').includes('<h1 '),
  );
  if (empty.length > 0) throw new Error(`These pages are empty: ${empty.map(({ source }) => source).join(', ')}`);
}

/** Files of the checkout that are on the site as they are, for guides that tell to copy them. */
const asTheyAre: Readonly<Record<string, string>> = {
  'skills/waymark/SKILL.md': 'skills/waymark/SKILL.md',
  'integrations/github-action/action.yml': 'github-action/action.yml',
};

/** Writes the Markdown of each page beside it, and what programs that read begin with. */
function writeForAgents(next: string, pages: readonly SitePage[], groups: readonly SiteGroup[]): void {
  for (const { path, text } of pages) write(join(next, path), text);
  cpSync(join(root, 'docs/images'), join(next, 'images'), { recursive: true });
  for (const [source, path] of Object.entries(asTheyAre)) cpSync(join(root, source), join(next, path));
  write(join(next, 'llms.txt'), listPages(groups));
  write(join(next, 'llms-full.txt'), joinPages(pages, groups));
}

/** Packs what customers install, to get it from where they read of it; the wheel where there is a Python to build it. */
async function packPackages(folder: string): Promise<void> {
  const more = findPython() === undefined ? ['--without-python'] : [];
  await runIn('.', process.execPath, [...typeFlags(), join(root, 'scripts/release/pack.ts'), '--out', folder, ...more]);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) {
  if (process.argv.includes('--idle')) workBesideParent();
  const say = (line: string): void => console.log(`site: ${line}`);
  const startedAt = performance.now();
  const done = await buildSite(say);
  say(done ? `built (${((performance.now() - startedAt) / 1000).toFixed(1)} s)` : 'the build is up to date');
}
