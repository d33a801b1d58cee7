import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#scripts/lib/paths.ts';

// `node bench/picture.ts`: draws the goals in the tables of bench/README.md as bars, into docs/images/performance.svg.
// Left out are goals without a number, and goals about a difference ("≤ 200 MiB more").

interface Goal {
  id: string;
  what: string;
  measured: string;
  wanted: string;
  /** 1: the goal exactly; more is better. */
  share: number;
  isMet: boolean;
}

// Of lists and statistics a few stand for all.
const abridged = new Set(['L1', 'A1']);
const rowsOfAbridged = 6;
const rowHeight = 22;
const barStart = 470;
const goalWidth = 160;
const width = barStart + 2 * goalWidth + 400;
const colours = { met: '#15803d', missed: '#b45309', text: '#1f2937', line: '#6b7280', ground: '#ffffff' };

const all = readGoals(readFileSync(join(root, 'bench/README.md'), 'utf8'));
const goals = [...Map.groupBy(all, ({ id }) => id).values()].flatMap((rows) =>
  abridged.has(rows[0]!.id) ? rows.slice(0, rowsOfAbridged) : rows,
);
writeFileSync(join(root, 'docs/images/performance.svg'), draw(goals));

/** Reads the rows of the tables that have a goal in numbers. */
function readGoals(text: string): Goal[] {
  const tables = [...text.matchAll(/<!-- bench \w+ -->([\s\S]*?)<!-- end of bench/g)].map(([, table = '']) => table);
  return tables.flatMap((table) =>
    table.split('\n').flatMap((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const [, id = '', what = '', measured = '', , ratio = '', wanted = '', met = ''] = cells;
      const [, percentile, sign, number, unit = ''] =
        /^(?:(p9[59]) )?([≥≤]) (\d[\d,]*(?:\.\d+)?\b) ?([^,]*)/.exec(wanted) ?? [];
      if (sign === undefined || number === undefined || wanted.endsWith(' more')) return [];
      const has = readNumber(
        unit === '' ? ratio : percentile === undefined ? measured : measured.split(`${percentile} `)[1]!,
      );
      const goal = readNumber(number);
      if (has === undefined || goal === undefined) return [];
      return [
        {
          id,
          what,
          measured: unit === '' ? ratio : measured,
          wanted,
          share: sign === '≥' ? has / goal : goal / has,
          isMet: met === 'yes',
        },
      ];
    }),
  );
}

function readNumber(text: string | undefined): number | undefined {
  const [number] = /\d[\d,]*(?:\.\d+)?/.exec(text ?? '') ?? [];
  return number === undefined ? undefined : Number(number.replaceAll(',', ''));
}

function draw(rows: readonly Goal[]): string {
  const height = (rows.length + 2) * rowHeight;
  const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const bars = rows.map(({ id, what, measured, wanted, share, isMet }, index) => {
    const y = (index + 1) * rowHeight;
    const length = Math.round(Math.min(share, 2) * goalWidth);
    const colour = isMet ? colours.met : colours.missed;
    return `<text x="8" y="${y + 15}">${escape(`${id}  ${what}`.slice(0, 70))}</text>
<rect x="${barStart}" y="${y + 4}" width="${length}" height="14" fill="${colour}"/>
<text x="${barStart + length + 6}" y="${y + 15}">${escape(`${measured.replace(/ \(.*/, '')}, wanted ${wanted}`)}</text>`;
  });
  const goalX = barStart + goalWidth;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="${colours.text}" role="img" aria-label="Measured figures beside their goals">
<rect width="${width}" height="${height}" fill="${colours.ground}"/>
<text x="${goalX - 12}" y="14">goal</text>
${bars.join('\n')}
<line x1="${goalX}" y1="18" x2="${goalX}" y2="${height - rowHeight}" stroke="${colours.line}" stroke-dasharray="3 3"/>
</svg>
`;
}
