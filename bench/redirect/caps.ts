import { makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { interleave } from '#bench/lib/interleave.ts';
import type { RedirectStage } from './stage.ts';
import { visitRun } from './visits.ts';

const wanted = 4;
const neverReached = 1_000_000_000;

/** Measures visits of one link with a cap, each of which the database has to grant: R5. */
export async function measureCaps(stage: RedirectStage, findings: Findings): Promise<void> {
  console.log('R5: a link with a cap');
  const { options, database } = stage;
  const slugs = numberedSlugs('k', 1);
  await makeLinks(database, slugs, () => ({ maxClicks: neverReached }));
  const [bare, edge] = [await stage.bare(database.url), await stage.edge()];
  const visits = { paths: { random: slugs } };
  const runs = [
    visitRun(stage, { target: bare, ...visits, name: 'bare, one UPDATE for each' }),
    visitRun(stage, { target: edge, ...visits, name: 'edge, a capped link', isChecked: true }),
  ];
  const measured = await interleave(runs, options.timing, options);
  const [to, of] = runs.map(({ name }) => measured.get(name)!);
  findings.baseline(to!, 'perSecond');
  findings.ratio({
    id: 'R5',
    what: 'a link with a cap, beside an UPDATE for each',
    of: of!,
    to: to!,
    by: 'perSecond',
    wanted,
  });
  await Promise.all([bare.stop(), edge.stop()]);
}
