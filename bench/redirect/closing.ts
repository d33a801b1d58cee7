import type { Findings } from '#bench/lib/findings.ts';
import { interleave } from '#bench/lib/interleave.ts';
import type { Stage } from './stage.ts';
import { visitRun } from './visits.ts';

const wanted = 1;

/** Measures visits that take a connection each: R4. */
export async function measureClosing(stage: Stage, findings: Findings): Promise<void> {
  console.log('R4: a new connection for each request');
  const { options, slugs } = stage;
  const [bare, bareHttp, edge] = [await stage.bare(), await stage.bareHttp(), await stage.edge()];
  const visits = { paths: { random: slugs }, isClosing: true };
  const runs = [
    visitRun(stage, { target: bare, ...visits, name: 'bare, new connections' }),
    visitRun(stage, { target: bareHttp, ...visits, name: 'empty node:http, new connections' }),
    visitRun(stage, { target: edge, ...visits, name: 'edge, new connections', isChecked: true }),
  ];
  const measured = await interleave(runs, options.timing, options);
  const [to, floor, of] = runs.map(({ name }) => measured.get(name)!);
  findings.baseline(to!, 'perSecond');
  findings.baseline(floor!, 'perSecond');
  findings.ratio({ id: 'R4', what: 'a new connection each', of: of!, to: to!, by: 'perSecond', wanted });
  findings.ratio({ id: 'R4', what: 'a new connection each, processor time', of: of!, to: to!, by: 'cpuUs' });
  await Promise.all([bare, bareHttp, edge].map((target) => target.stop()));
}
