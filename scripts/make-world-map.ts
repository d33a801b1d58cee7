import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.ts';

// Makes console/charts/world.json, by hand when borders change:
//   node scripts/make-world-map.ts <countries-110m.json> <countries-50m.json> <codes.json>
// The first two are of the npm package world-atlas (Natural Earth, public domain), the third one of i18n-iso-countries.

interface Topology {
  transform: { scale: [number, number]; translate: [number, number] };
  arcs: [number, number][][];
  objects: { countries: { geometries: Geometry[] } };
}
type Geometry = { id?: string; properties: { name: string } } & (
  | { type: 'Polygon'; arcs: number[][] }
  | { type: 'MultiPolygon'; arcs: number[][][] }
);
type Point = readonly [x: number, y: number];

const width = 960;
const decimals = 1;
// Kosovo has no number of its own; GeoIP databases locate it under XK.
const named: Readonly<Record<string, string>> = { Kosovo: 'XK' };
// Antarctica would take a fifth of the map.
const left = new Set(['AQ']);

const [rough = '', fine = '', codesFile = ''] = process.argv.slice(2);
const codes = new Map(
  (JSON.parse(readFileSync(codesFile, 'utf8')) as [string, string, string][]).map(([two, , number]) => [number, two]),
);

// The Equal Earth projection (Šavrič, Patterson and Jenny, 2018): areas keep their sizes.
const [a1, a2, a3, a4] = [1.340_264, -0.081_106, 0.000_893, 0.003_796];
const root3 = Math.sqrt(3);
const mostX = (2 * root3 * Math.PI) / (3 * a1);
const scale = width / (2 * mostX);
const top = project([0, 84])[1];
const height = Math.round(project([0, -57])[1] - top);

function project([longitude, latitude]: Point): Point {
  const angle = Math.asin((root3 / 2) * Math.sin((latitude * Math.PI) / 180));
  const [two, six] = [angle ** 2, angle ** 6];
  const slope = 9 * a4 * two * six + 7 * a3 * six + 3 * a2 * two + a1;
  const x = (2 * root3 * ((longitude * Math.PI) / 180) * Math.cos(angle)) / (3 * slope);
  const y = angle * (a1 + a2 * two + six * (a3 + a4 * two));
  return [scale * (x + mostX), -scale * y];
}

/** The outlines of each country by its code, projected. */
function readCountries(file: string): Map<string, Point[][]> {
  const { transform, arcs, objects } = JSON.parse(readFileSync(file, 'utf8')) as Topology;
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]): Point => {
      x += dx;
      y += dy;
      return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]];
    });
  });
  const ring = (indices: readonly number[]): Point[] =>
    indices.flatMap((index, position) => {
      const line = index < 0 ? lines[~index]!.toReversed() : lines[index]!;
      return position === 0 ? line : line.slice(1);
    });
  const countries = new Map<string, Point[][]>();
  for (const geometry of objects.countries.geometries) {
    const code = named[geometry.properties.name] ?? codes.get(geometry.id ?? '');
    if (code === undefined || left.has(code)) continue;
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    const rings = polygons.flat().map((indices) => unwrapped(ring(indices)).map(project));
    countries.set(code, [...(countries.get(code) ?? []), ...rings]);
  }
  return countries;
}

/** An outline that does not leap from one edge of the map to the other: it goes on beyond 180°. */
function unwrapped(points: readonly Point[]): Point[] {
  let turn = 0;
  let before = points[0]![0];
  const line = points.map(([longitude, latitude]): Point => {
    if (longitude - before > 180) turn -= 360;
    if (longitude - before < -180) turn += 360;
    before = longitude;
    return [longitude + turn, latitude];
  });
  const middle = line.reduce((sum, [longitude]) => sum + longitude, 0) / line.length;
  const shift = turn === 0 && line.every(([longitude]) => Math.abs(longitude) <= 180) ? 0 : middle < 0 ? 360 : 0;
  return line.map(([longitude, latitude]) => [longitude + shift, latitude]);
}

const rounded = (value: number): number => Number(value.toFixed(decimals));

/** An outline as a path relative to its first point, without points that rounding makes equal. */
function pathOf(points: readonly Point[]): string {
  let [x, y] = [rounded(points[0]![0]), rounded(points[0]![1] - top)];
  let path = `M${x} ${y}l`;
  const steps: string[] = [];
  for (const point of points.slice(1, -1)) {
    const [toX, toY] = [rounded(point[0]), rounded(point[1] - top)];
    if (toX === x && toY === y) continue;
    steps.push(`${rounded(toX - x)} ${rounded(toY - y)}`);
    [x, y] = [toX, toY];
  }
  path += steps
    .join(' ')
    .replaceAll(' -', '-')
    .replaceAll(/(^|[ -])0\./g, '$1.');
  return steps.length < 2 ? '' : `${path}z`;
}

function areaOf(points: readonly Point[]): number {
  return Math.abs(
    points.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = points[(index + 1) % points.length]!;
      return sum + x * nextY - nextX * y;
    }, 0) / 2,
  );
}

/** The middle of a country's largest outline. */
function middleOf(rings: readonly (readonly Point[])[]): [number, number] {
  const largest = rings.toSorted((a, b) => areaOf(b) - areaOf(a))[0]!;
  const sum = (axis: 0 | 1): number => largest.reduce((total, point) => total + point[axis], 0) / largest.length;
  return [rounded(sum(0)), rounded(sum(1) - top)];
}

const shapes = readCountries(rough);
const paths = Object.fromEntries([...shapes].map(([code, rings]) => [code, rings.map(pathOf).join('')]).toSorted());
// Countries that are too small for the rough map, which are drawn as dots.
const dots = Object.fromEntries(
  [...readCountries(fine)]
    .filter(([code]) => !shapes.has(code))
    .map(([code, rings]): [string, [number, number]] => [code, middleOf(rings)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(join(root, 'console/charts/world.json'), `${JSON.stringify({ width, height, paths, dots })}\n`);
