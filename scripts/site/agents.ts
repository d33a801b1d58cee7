import type { SiteGroup, SitePage } from './pages.ts';

const head =
  '# Waymark\n\n> A link-shortening platform on a durable engine, hosted by yourself. Each page is here as Markdown; `llms-full.txt` has all but those of contributors in one file.';

/** Lists the pages for programs that read: `llms.txt`. */
export function listPages(groups: readonly SiteGroup[]): string {
  const lists = groups.map(({ title, pages }) =>
    [
      `## ${title}`,
      '',
      ...pages.map((page) => `- [${page.title}](${page.path})${page.about && `: ${page.about}`}`),
    ].join('\n'),
  );
  return `${[head, ...lists].join('\n\n')}\n`;
}

/** Writes the pages one after the other, those of contributors aside: `llms-full.txt`. Links in a page count from its path. */
export function joinPages(pages: readonly SitePage[], groups: readonly SiteGroup[]): string {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const listed = groups.filter(({ title }) => title !== 'Contributors').flatMap((group) => group.pages);
  return listed.map(({ path }) => `<!-- ${path} -->\n\n${byPath.get(path)!.text.trim()}\n`).join('\n');
}
