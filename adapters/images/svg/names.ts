/** Visible elements. */
export const graphics: ReadonlySet<string> = new Set([
  'circle',
  'ellipse',
  'image',
  'line',
  'path',
  'polygon',
  'polyline',
  'rect',
  'text',
  'use',
]);

/** Elements that animate an attribute of another element. */
export const animated: ReadonlySet<string> = new Set(['animate', 'animateMotion', 'animateTransform', 'set']);

// Elements of SVG 1.1 and 2 that draw, group or describe (https://www.w3.org/TR/SVG2/eltindex.html), without filters.
const allowed = new Set([
  ...graphics,
  ...animated,
  'a',
  'clipPath',
  'defs',
  'desc',
  'filter',
  'g',
  'linearGradient',
  'marker',
  'mask',
  'mpath',
  'pattern',
  'radialGradient',
  'stop',
  'style',
  'svg',
  'switch',
  'symbol',
  'textPath',
  'title',
  'tspan',
  'view',
]);

/** Elements that may embed a picture as a `data:` URL. */
export const linkedImages: ReadonlySet<string> = new Set(['image', 'feImage']);

/** Attributes that refer to other resources and draw nothing. */
export const refusedAttributes: ReadonlySet<string> = new Set([
  'action',
  'background',
  'base',
  'download',
  'formaction',
  'ping',
  'poster',
  'src',
  'srcdoc',
  'srcset',
  'target',
]);

/** Whether an element of the SVG namespace is kept. */
export function isAllowedElement(name: string): boolean {
  return allowed.has(name) || /^fe[A-Z][A-Za-z]*$/.test(name);
}
