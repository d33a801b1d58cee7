import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '#scripts/lib/paths.ts';

export interface SitePage {
  /** Its file in the checkout, like `docs/api/README.md`. */
  source: string;
  /** Its file on the site, like `api/index.md`. */
  path: string;
  title: string;
  /** Its Markdown; links lead to pages of the site, and files that have none there are named in words. */
  text: string;
}

/** A group of pages by their reader, as docs/README.md has them. */
export interface SiteGroup {
  title: string;
  pages: { title: string; path: string; about: string }[];
}

// Pages beside those of docs/.
const others: Readonly<Record<string, string>> = {
  'README.md': 'start.md',
  'sdk/typescript/README.md': 'sdk/typescript.md',
  'sdk/python/README.md': 'sdk/python.md',
  'sdk/go/README.md': 'sdk/go.md',
  'mcp/README.md': 'mcp.md',
  'cli/README.md': 'cli.md',
  'SECURITY.md': 'security.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
};

const link = /(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g;

// A span of code; or what VitePress would take for a tag or a template, the anchors of docs/contract.md and addresses aside.
const codeOrMarkup = /`[^`]+`|<(?!a id=|\/a>|https?:)|\{\{/g;

/** Reads the pages of the site from the Markdown of the checkout. */
export function readPages(): SitePage[] {
  const sources = [...globSync('docs/**/*.md', { cwd: root }).toSorted(), ...Object.keys(others)];
  const paths = new Map(sources.map((source) => [source, pathOf(source)]));
  return sources.map((source) => {
    const raw = readFileSync(join(root, source), 'utf8');
    const path = paths.get(source)!;
    return { source, path, title: /^# (.+)$/m.exec(raw)?.[1] ?? source, text: relink(raw, source, path, paths) };
  });
}

/** Reads the groups of pages from docs/README.md, whose list is the only one. @throws Error where it has none. */
export function readGroups(pages: readonly SitePage[]): SiteGroup[] {
  const index = pages.find(({ source }) => source === 'docs/README.md')!;
  const groups = index.text.split(/^## /m).slice(1).map(readGroup);
  if (groups.length === 0) throw new Error('docs/README.md lists no pages');
  return groups;
}

function readGroup(section: string): SiteGroup {
  const pages = section
    .split(/^- /m)
    .slice(1)
    .flatMap((item) => {
      const links = [...item.matchAll(link)].filter(([, isImage, , href]) => isImage === '' && href!.endsWith('.md'));
      const about = item
        .replace(link, '$2')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .replace(/^[^:]*: /, '');
      return links.map(([, , title, href], place) => ({
        title: title!.replace(/^\w/, (letter) => letter.toUpperCase()),
        path: href!.replace(/^\.\//, ''),
        about: place === 0 ? about : '',
      }));
    });
  return { title: section.split('\n', 1)[0]!, pages };
}

function pathOf(source: string): string {
  return others[source] ?? source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/** Outside of blocks of code, links to pages lead to where these are on the site, and what looks like markup is text. */
function relink(raw: string, source: string, path: string, paths: ReadonlyMap<string, string>): string {
  return raw
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(link, replaced).replaceAll(codeOrMarkup, plain)))
    .join('');

  function replaced(whole: string, isImage: string, text: string, href: string): string {
    if (isImage !== '' || /^(?:[a-z]+:|#|\/)/.test(href)) return whole;
    const [file = '', anchor] = href.split('#');
    const target = paths.get(posix.join(posix.dirname(source), file));
    if (target === undefined) return text;
    return `[${text}](${posix.relative(posix.dirname(path), target)}${anchor === undefined ? '' : `#${anchor}`})`;
  }
}

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '{{': '&#123;&#123;' };

/** A line that begins with a tag is one to VitePress even within code: a span of code stays on its line. */
const plain = (found: string): string => entities[found] ?? found.replaceAll(/\s*\n\s*/g, ' ');

const sampleNames: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  bash: 'Command line',
};

const languages = Object.keys(sampleNames).join('|');
const block = `^\`\`\`(?:${languages})\\n(?:(?!\`\`\`).*\\n)*\`\`\`\\n\\n?`;
const followingBlocks = new RegExp(`(?:${block}){2,}`, 'gm');

interface SampleOfLanguage {
  language: string;
  text: string;
}

/** Samples of one thing in several languages, which follow each other in the Markdown of a page. */
export const sampleGroups = (text: string): SampleOfLanguage[][] =>
  [...text.matchAll(followingBlocks)].flatMap(([blocks]) => divide(blocks)).filter(({ length }) => length > 1);

/** Begins another group where a language comes again. */
function divide(blocks: string): SampleOfLanguage[][] {
  const groups: SampleOfLanguage[][] = [[]];
  for (const [, language = '', text = ''] of blocks.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (groups.at(-1)!.some((sample) => sample.language === language)) groups.push([]);
    groups.at(-1)!.push({ language, text });
  }
  return groups;
}

/** Shows samples of one thing in several languages as tabs. */
export const groupSamples = (text: string): string =>
  text.replaceAll(followingBlocks, (blocks) => `${divide(blocks).map(showGroup).join('\n\n')}\n\n`);

function showGroup(samples: readonly SampleOfLanguage[]): string {
  const [{ language, text } = { language: '', text: '' }] = samples;
  if (samples.length === 1) return `\`\`\`${language}\n${text}\`\`\``;
  const named = samples.map(
    (sample) => `\`\`\`${sample.language} [${sampleNames[sample.language]}]\n${sample.text}\`\`\``,
  );
  return `::: code-group\n\n${named.join('\n\n')}\n\n:::`;
}
