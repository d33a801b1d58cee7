import { useFormat } from '#console/i18n/format.ts';
import { stepsOf } from './steps.ts';
// Natural Earth's borders (npm's world-atlas) in the Equal Earth projection; scripts/make-world-map.ts in git's history made it.
import world from './world.json' with { type: 'json' };
import css from './world-map.module.css';

interface WorldMapProps {
  /** Clicks by ISO 3166-1 alpha-2 code. */
  counts: ReadonlyMap<string, number>;
  onChoose: (code: string, isMore: boolean) => void;
}

const dotRadius = 3.5;
const dotTarget = 12;

/**
 * Countries coloured by their clicks; small ones are dots. A table beside it has the same for keyboards and screen readers, from
 * which the map is hidden.
 */
export function WorldMap({ counts, onChoose }: WorldMapProps) {
  const format = useFormat();
  const colours = stepsOf(counts);
  const title = (code: string): string => `${format.country(code)}: ${format.number(counts.get(code) ?? 0)}`;
  const classOf = (code: string): string => css[`step${colours.get(code) ?? 0}`] ?? '';
  const choose = (event: React.MouseEvent): void => {
    const code = event.target instanceof Element ? event.target.closest<SVGElement>('[data-code]')?.dataset.code : null;
    if (typeof code === 'string' && counts.has(code)) onChoose(code, event.ctrlKey || event.metaKey);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the table beside it has the same as buttons
    <svg className={css.map} viewBox={`0 0 ${world.width} ${world.height}`} aria-hidden="true" onClick={choose}>
      {Object.entries(world.paths).map(([code, path]) => (
        <path key={code} data-code={code} className={classOf(code)} d={path}>
          <title>{title(code)}</title>
        </path>
      ))}
      {Object.entries(world.dots)
        .filter(([code]) => counts.has(code))
        .map(([code, [x = 0, y = 0]]) => (
          <g key={code} data-code={code}>
            <circle className={css.target} cx={x} cy={y} r={dotTarget}>
              <title>{title(code)}</title>
            </circle>
            <circle className={[css.dot, classOf(code)].join(' ')} cx={x} cy={y} r={dotRadius} />
          </g>
        ))}
    </svg>
  );
}
