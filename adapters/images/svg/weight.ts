import type { Element, Node } from '@xmldom/xmldom';
import { graphics } from './names.ts';

// Rendered elements, repetitions counted: a few milliseconds of rendering.
const maxWeight = 50_000;
const ownReference = /(?:^\s*#|url\(\s*["']?#)([^"')\s]+)/g;
const plainPaints = new Set(['linearGradient', 'radialGradient']);

/**
 * Whether an image renders too many elements: nested `use`, patterns and markers can turn a few lines into millions of elements.
 * An upper estimate.
 */
export function isHeavy(root: Element): boolean {
  const byId = new Map<string, Element>();
  let css = '';
  for (const element of [root, ...root.getElementsByTagName('*')]) {
    const id = element.getAttribute('id');
    if (id !== null && !byId.has(id)) byId.set(id, element);
    if (element.localName === 'style') css += element.textContent ?? '';
  }
  // Selectors are not evaluated: a style sheet's reference counts for every visible element. Gradients render no elements.
  const byStyle = [...referencesOf(css)].flatMap((id) => {
    const target = byId.get(id);
    return target === undefined || plainPaints.has(target.localName ?? '') ? [] : target;
  });
  const weights = new Map<Element, number>();

  function weigh(element: Element): number {
    const known = weights.get(element);
    if (known !== undefined) return known;
    // An element that references itself renders nothing there.
    weights.set(element, 0);
    let weight = 1;
    const add = (target: Element | undefined, times = 1): void => {
      if (target !== undefined && weight <= maxWeight) weight += times * weigh(target);
    };
    for (const child of element.childNodes) if (isElement(child)) add(child);
    for (const { localName, value } of element.attributes) {
      const times = localName?.startsWith('marker') ? cornersOf(element) : 1;
      for (const id of referencesOf(value)) add(byId.get(id), times);
    }
    if (graphics.has(element.localName ?? '')) for (const target of byStyle) add(target, cornersOf(element));
    weights.set(element, weight);
    return weight;
  }

  return weigh(root) > maxWeight;
}

function referencesOf(text: string): Set<string> {
  return new Set([...text.matchAll(ownReference)].map(([, id]) => id!));
}

/** Upper estimate of a path's corners, each of which may show a marker. */
function cornersOf(element: Element): number {
  const points = element.getAttribute('d') ?? element.getAttribute('points') ?? '';
  return Math.max(1, Math.ceil(points.length / 2));
}

function isElement(node: Node): node is Element {
  return node.nodeType === node.ELEMENT_NODE;
}
