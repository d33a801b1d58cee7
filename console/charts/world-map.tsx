import { useState } from 'react';
import { useFormat } from '#console/i18n/format.ts';
import { Select } from '#console/ui/form/list-field.tsx';
import { stepsOf } from './steps.ts';
// Natural Earth's borders (npm's world-atlas) in the Equal Earth projection; scripts/make-world-map.ts in git's history made it.
import world from './world.json' with { type: 'json' };
import css from './world-map.module.css';

// Where the continents are on the map, all of its proportions: left, top and width.
const parts = {
  world: [0, 0, world.width],
  AF: [231, 98, 598],
  AS: [370, 20, 590],
  EU: [385, 4, 253],
  NA: [0, 0, 495],
  OC: [476, 186, 484],
  SA: [55, 180, 546],
} as const;
/** The world, or a continent by its code. */
type MapPart = keyof typeof parts;
const partNames = Object.keys(parts) as MapPart[];

interface WorldMapProps {
  /** Clicks by ISO 3166-1 alpha-2 code. */
  counts: ReadonlyMap<string, number>;
  /** Codes that are filtered by. */
  chosen: readonly string[];
  /** Code of the continent that is shown until another part is chosen; of none, the world. */
  continent: string | undefined;
  /** Names of the parts, and of the control that chooses one. */
  names: Readonly<Record<MapPart, string>>;
  partLabel: string;
  onChoose: (code: string, isMore: boolean) => void;
}

const dotRadius = 3.5;
const dotTarget = 12;

/**
 * Countries coloured by their clicks, of the world or of a continent; small ones are dots. A table beside it has the same for keyboards and screen readers, from
 * which the map is hidden.
 */
export function WorldMap({ counts, chosen, continent, names, partLabel, onChoose }: WorldMapProps) {
  const [shown, setShown] = useState<MapPart>();
  const part = shown ?? partNames.find((one) => one === continent) ?? 'world';
  const [left, top, width] = parts[part];
  const scale = width / world.width;
  const format = useFormat();
  const colours = stepsOf(counts);
  const title = (code: string): string => `${format.country(code)}: ${format.number(counts.get(code) ?? 0)}`;
  const classOf = (code: string): string =>
    [css[`step${colours.get(code) ?? 0}`], chosen.includes(code) ? css.chosen : ''].join(' ');
  const choose = (event: React.MouseEvent): void => {
    const code = event.target instanceof Element ? event.target.closest<SVGElement>('[data-code]')?.dataset.code : null;
    if (typeof code === 'string' && counts.has(code)) onChoose(code, event.ctrlKey || event.metaKey);
  };
  return (
    <div className={css.frame}>
      <div className={css.part}>
        <Select
          label={partLabel}
          isLabelHidden
          value={part}
          onChange={setShown}
          choices={partNames.map((id) => ({ id, label: names[id] }))}
        />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the table beside it has the same as buttons */}
      <svg
        className={css.map}
        viewBox={`${left} ${top} ${width} ${world.height * scale}`}
        aria-hidden="true"
        onClick={choose}
      >
        {Object.entries(world.paths).map(([code, path]) => (
          <path key={code} data-code={code} className={classOf(code)} d={path}>
            <title>{title(code)}</title>
          </path>
        ))}
        {Object.entries(world.dots)
          .filter(([code]) => counts.has(code))
          .map(([code, [x = 0, y = 0]]) => (
            <g key={code} data-code={code}>
              <circle className={css.target} cx={x} cy={y} r={dotTarget * scale}>
                <title>{title(code)}</title>
              </circle>
              <circle className={[css.dot, classOf(code)].join(' ')} cx={x} cy={y} r={dotRadius * scale} />
            </g>
          ))}
      </svg>
    </div>
  );
}
