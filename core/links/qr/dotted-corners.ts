import type { Plugin } from '@liquid-js/qr-code-styling';

type DrawCorner = Parameters<NonNullable<Plugin['drawCornerDot']>>[0];
type DrawnCorner = Exclude<ReturnType<NonNullable<Plugin['drawCornerDot']>>, void | undefined>;

/** Draws corners as separate dots, a style that the library has for the other modules only. */
export function dottedCorners({ square, dot }: { square: boolean; dot: boolean }): Plugin {
  return {
    drawCornerSquare(args) {
      // The second element is used only for images behind the code.
      return square ? [circles(args, 7, isOnRing), circles(args, 0, isOnRing)] : undefined;
    },
    drawCornerDot(args) {
      return dot ? circles(args, 3, () => true) : undefined;
    },
  };
}

function isOnRing(column: number, row: number): boolean {
  return column === 0 || row === 0 || column === 6 || row === 6;
}

/** A path with a circle in each selected module of a square of `count` by `count`. */
function circles(
  { x, y, size, document }: DrawCorner,
  count: number,
  isDrawn: (column: number, row: number) => boolean,
): DrawnCorner {
  const module = size / count;
  const radius = module / 2;
  const arcs: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!isDrawn(column, row)) continue;
      const left = x + column * module;
      const middle = y + row * module + radius;
      const arc = `a${radius} ${radius} 0 0 1`;
      arcs.push(`M${left} ${middle}${arc} ${module} 0${arc} ${-module} 0z`);
    }
  }
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', arcs.join(''));
  return path;
}
