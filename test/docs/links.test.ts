import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const pages = tracked.filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

// Pages whose paths tell where something is now. Decision records and the change log tell of their own time.
const currentPages = pages.filter((page) => !page.startsWith('docs/adr/0') && page !== 'CHANGELOG.md');
const rooms =
  'core|config|db|adapters|commands|relay|workflows|activities|api|edge|mcp|sdk|start|scripts|bench|test|deploy|docs'.split(
    '|',
  );

describe('the pages of the documentation', () => {
  it('link to files that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter(({ file }) => !existsSync(join(root, file)))
        .map(({ target }) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
    expect(pages.flatMap(linksOf).length).toBeGreaterThan(100);
  });

  it('link to anchors that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter(({ file, anchor }) => anchor !== '' && file.endsWith('.md') && existsSync(join(root, file)))
        .filter(({ file, anchor }) => !anchorsOf(file).has(anchor))
        .map(({ target }) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name paths of the code that exist', () => {
    const missing = currentPages.flatMap((page) =>
      pathsOf(page)
        .filter((path) => !['', '.ts', '.mjs'].some((ending) => existsSync(join(root, `${path}${ending}`))))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
    expect(currentPages.flatMap(pathsOf).length).toBeGreaterThan(100);
  });

  it('each have a way to them from the index in docs/README.md', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached) for (const { file } of linksOf(page)) if (file.endsWith('.md')) reached.add(file);
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });
});

interface Link {
  /** As the page writes it. */
  target: string;
  /** Relative to the root. */
  file: string;
  anchor: string;
}

/** The relative links of a page. */
function linksOf(page: string): Link[] {
  return [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      return { target, file, anchor };
    });
}

/** The anchors of a page: its own, and the anchors that GitHub makes of its headings. */
function anchorsOf(page: string): Set<string> {
  const text = withoutCode(page);
  const own = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...own, ...headings]);
}

/** Files and folders of the code between backticks, without placeholders (`<id>`, `…`, `*`) and an operator's own `.env`. */
function pathsOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/`([a-z][\w.-]*\/[^`\s]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => rooms.includes(path.split('/')[0]!) && /^[\w./-]+$/.test(path) && !path.endsWith('/.env'));
}

function withoutCode(page: string): string {
  return read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
}
