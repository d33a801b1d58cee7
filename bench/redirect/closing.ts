import type { Findings } from '#bench/lib/findings.ts';
import { interleave } from '#bench/lib/interleave.ts';
import type { RedirectStage } from './stage.ts';
import { visitRun } from './visits.ts';

const wanted = 0.5;

/** Measures visits that take a connection each: R4. */
export async function measureClosing(stage: RedirectStage, findings: Findings): Promise<void> {
  console.log('R4: a new connection for each request');
  const { options, slugs } = stage;
  const [bare, edge] = [await stage.bare(), await stage.edge()];
  const visits = { paths: { random: slugs }, isClosing: true };
  const runs = [
    visitRun(stage, { target: bare, ...visits, name: 'bare, new connections' }),
    visitRun(stage, { target: edge, ...visits, name: 'edge, new connections', isChecked: true }),
  ];
  const measured = await interleave(runs, options.timing, options);
  const [to, of] = runs.map(({ name }) => measured.get(name)!);
  findings.baseline(to!, 'perSecond');
  findings.ratio({ id: 'R4', what: 'a new connection each', of: of!, to: to!, by: 'perSecond', wanted });
  await Promise.all([bare.stop(), edge.stop()]);
}
