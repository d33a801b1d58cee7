// Shapes of an SVG as operators of a PDF's path (ISO 32000-1, 8.5.2), for the few that a drawn QR code has.

type Point = readonly [x: number, y: number];

/** The operators of a rect, circle or path, turned as its `transform` says; a path without curves and without arcs of ellipses. */
export function operatorsOf(shape: Element): string {
  const turn = turnOf(shape.getAttribute('transform'));
  const number = (name: string): number => Number.parseFloat(shape.getAttribute(name) ?? '0');
  if (shape.tagName === 'circle') return circle([number('cx'), number('cy')], number('r'));
  if (shape.tagName === 'rect')
    return rectangle(number('x'), number('y'), number('width'), number('height'), number('rx'), turn);
  return pathOf(shape.getAttribute('d') ?? '', turn);
}

/** Whether its holes are those of the even-odd rule. */
export const isEvenOdd = (shape: Element): boolean => shape.getAttribute('clip-rule') === 'evenodd';

/** A number of a PDF: no exponent, few digits. */
export const shown = (value: number): string => String(Number(value.toFixed(4)));

const points = (...list: readonly Point[]): string => list.map(([x, y]) => `${shown(x)} ${shown(y)}`).join(' ');

function turnOf(transform: string | null): (point: Point) => Point {
  const [degrees, x = 0, y = 0] =
    /rotate\(([^)]*)\)/
      .exec(transform ?? '')?.[1]
      ?.split(',')
      .map(Number) ?? [];
  if (degrees === undefined) return (point) => point;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return ([px, py]) => [x + (px - x) * cos - (py - y) * sin, y + (px - x) * sin + (py - y) * cos];
}

function circle([x, y]: Point, r: number): string {
  const start: Point = [x - r, y];
  const half: Point = [x + r, y];
  return [`${points(start)} m`, ...arc(start, half, r, true), ...arc(half, start, r, true), 'h'].join(' ');
}

function rectangle(x: number, y: number, width: number, height: number, r: number, turn: (p: Point) => Point): string {
  if (r === 0) return pathOf(`M ${x} ${y} h ${width} v ${height} h ${-width} z`, turn);
  const a = `a ${r} ${r} 0 0 1`;
  return pathOf(
    `M ${x + r} ${y} h ${width - 2 * r} ${a} ${r} ${r} v ${height - 2 * r} ${a} ${-r} ${r} h ${2 * r - width} ${a} ${-r} ${-r} v ${2 * r - height} ${a} ${r} ${-r} z`,
    turn,
  );
}

/** @throws Error at a path command other than M, L, H, V, A and Z, absolute or relative: QR codes are drawn with these alone. */
function pathOf(d: string, turn: (point: Point) => Point): string {
  const operators: string[] = [];
  let at: Point = [0, 0];
  const go = (operator: 'm' | 'l', x: number, y: number): void => {
    at = [x, y];
    operators.push(`${points(turn(at))} ${operator}`);
  };
  for (const [, command = '', rest = ''] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const [a = 0, b = 0, , , sweep = 0, endX = 0, endY = 0] = [...rest.matchAll(/-?[\d.]+(?:e-?\d+)?/g)].map(Number);
    const [x, y] = command === command.toLowerCase() ? at : [0, 0];
    switch (command.toUpperCase()) {
      case 'M':
        go('m', x + a, y + b);
        break;
      case 'L':
        go('l', x + a, y + b);
        break;
      case 'H':
        go('l', x + a, at[1]);
        break;
      case 'V':
        go('l', at[0], y + a);
        break;
      case 'A': {
        const to: Point = [x + endX, y + endY];
        operators.push(...arc(at, to, a, sweep === 1, turn));
        at = to;
        break;
      }
      case 'Z':
        operators.push('h');
        break;
      default:
        throw new Error(`A QR code has a path with the command ${command}.`);
    }
  }
  return operators.join(' ');
}

/** The smaller arc of a circle from a point to another, as curves of a quarter at most. */
function arc(from: Point, to: Point, r: number, isClockwise: boolean, turn = (point: Point): Point => point): string[] {
  const half = Math.hypot(to[0] - from[0], to[1] - from[1]) / 2;
  const toCentre = Math.sqrt(Math.max(0, r * r - half * half)) * (isClockwise ? 1 : -1);
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const centre: Point = [
    middle[0] - (toCentre * (to[1] - from[1])) / (2 * half),
    middle[1] + (toCentre * (to[0] - from[0])) / (2 * half),
  ];
  const start = Math.atan2(from[1] - centre[1], from[0] - centre[0]);
  const way = 2 * Math.asin(Math.min(1, half / r)) * (isClockwise ? 1 : -1);
  const steps = Math.ceil(Math.abs(way) / (Math.PI / 2) - 1e-9);
  const step = way / steps;
  // Length of the handles of the curve that is nearest to an arc of this angle.
  const handle = (4 / 3) * Math.tan(step / 4) * r;
  return Array.from({ length: steps }, (_value, index) => {
    const [a, b] = [start + index * step, start + (index + 1) * step];
    const on = (angle: number): Point => [centre[0] + r * Math.cos(angle), centre[1] + r * Math.sin(angle)];
    const [p, q] = [on(a), on(b)];
    const first: Point = [p[0] - handle * Math.sin(a), p[1] + handle * Math.cos(a)];
    const second: Point = [q[0] + handle * Math.sin(b), q[1] - handle * Math.cos(b)];
    return `${points(turn(first), turn(second), turn(q))} c`;
  });
}
