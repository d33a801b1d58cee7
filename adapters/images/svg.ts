import { type Attr, DOMParser, type Element, type Node, XMLSerializer } from '@xmldom/xmldom';
import { ImageError } from '#core/files/kinds.ts';
import { animated, graphics, isAllowedElement, linkedImages, refusedAttributes } from './svg/names.ts';
import { isHeavy } from './svg/weight.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const xlinkNamespace = 'http://www.w3.org/1999/xlink';
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/';

const maxDepth = 200;
const maxElements = 20_000;
const maxAttributes = 100_000;
const maxFilterSteps = 100;

const notSvg = (cause?: unknown): ImageError => new ImageError('is not an SVG image that can be read', { cause });

const tooMuch = (): ImageError => new ImageError('has too many elements, or draws them too often');

/**
 * Sanitizes an SVG image: keeps only elements and attributes that draw. Removes scripts, event handlers, references
 * outside the image, foreign content, comments and processing instructions. ADR 21 says why no library does this.
 * @param bytes UTF-8.
 * @throws ImageError for malformed SVG, a document type with declarations, or an image of which nothing visible is left.
 */
export function cleanSvg(bytes: Uint8Array): Buffer {
  const root = parse(decode(bytes));
  if (!cleanTree(root)) throw new ImageError('draws nothing that may be kept');
  if (isHeavy(root)) throw tooMuch();
  const text = new XMLSerializer().serializeToString(root, { requireWellFormed: true });
  return Buffer.from(text, 'utf8');
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notSvg(error);
  }
  // Most editors write a document type, which is dropped. One with declarations is refused: entities may grow without bounds or
  // read files.
  const plain = text.replace(/<!DOCTYPE\s[^<>[\]]*>/, '');
  if (/<!\s*(?:doctype|entity)/i.test(plain)) throw new ImageError('must not declare entities in a document type');
  return plain;
}

function parse(text: string): Element {
  // Of forbidden nodes too: the time to remove siblings grows with the square of their number.
  if ((text.match(/<[^/]/g)?.length ?? 0) > maxElements) throw tooMuch();
  let root: Element | null;
  try {
    const onError = (_level: string, message: string): never => {
      throw new Error(message);
    };
    root = new DOMParser({ onError, locator: false }).parseFromString(text, 'image/svg+xml').documentElement;
  } catch (error) {
    throw notSvg(error);
  }
  if (root === null || root.localName !== 'svg' || root.namespaceURI !== svgNamespace) throw notSvg();
  return root;
}

/** Removes forbidden elements and attributes. @returns whether anything visible is left. */
function cleanTree(root: Element): boolean {
  const waiting: { element: Element; depth: number }[] = [{ element: root, depth: 1 }];
  let elements = 0;
  let attributes = 0;
  let filterSteps = 0;
  let draws = false;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { element, depth } = next;
    elements += 1;
    attributes += element.attributes.length;
    const name = element.localName ?? '';
    if (name.startsWith('fe')) filterSteps += 1;
    if (depth > maxDepth || elements > maxElements || attributes > maxAttributes || filterSteps > maxFilterSteps) {
      throw tooMuch();
    }
    // Some renderers do not know prefixed element names.
    Object.assign(element, { prefix: null, tagName: name, nodeName: name });
    cleanAttributes(element);
    draws ||= isDrawn(element, name);
    if (name === 'style') {
      element.textContent = cleanCss(element.textContent ?? '');
      continue;
    }
    for (const child of Array.from(element.childNodes)) {
      if (isElement(child)) {
        if (isAllowed(child)) waiting.push({ element: child, depth: depth + 1 });
        else element.removeChild(child);
      } else if (child.nodeType !== child.TEXT_NODE) {
        if (child.nodeType === child.CDATA_SECTION_NODE) {
          element.insertBefore(element.ownerDocument!.createTextNode(child.nodeValue ?? ''), child);
        }
        element.removeChild(child);
      }
    }
  }
  return draws;
}

/** `image` and `use` are visible only with their reference. */
function isDrawn(element: Element, name: string): boolean {
  if (name !== 'image' && name !== 'use') return graphics.has(name);
  return element.hasAttribute('href') || element.hasAttributeNS(xlinkNamespace, 'href');
}

function isElement(node: Node): node is Element {
  return node.nodeType === node.ELEMENT_NODE;
}

function isAllowed(element: Element): boolean {
  if (element.namespaceURI !== svgNamespace || !isAllowedElement(element.localName ?? '')) return false;
  if (!animated.has(element.localName ?? '')) return true;
  // An animation could set a reference or an event handler.
  const target = (element.getAttribute('attributeName') ?? '').trim().toLowerCase();
  return !/^(?:.*:)?(?:href|src|style)$|^on/.test(target);
}

function cleanAttributes(element: Element): void {
  for (const attribute of Array.from(element.attributes)) {
    const value = keptValue(element, attribute);
    if (value === undefined) element.removeAttributeNode(attribute);
    else if (value !== attribute.value) attribute.value = value;
  }
}

/** The sanitized value of an attribute; undefined: remove it. */
function keptValue(element: Element, { namespaceURI, localName, name, value }: Attr): string | undefined {
  const local = (localName ?? name).toLowerCase();
  if (namespaceURI === xmlnsNamespace) {
    return value === svgNamespace || value === xlinkNamespace ? value : undefined;
  }
  if (namespaceURI === xmlNamespace) return local === 'space' || local === 'lang' ? value : undefined;
  if (namespaceURI !== null && namespaceURI !== xlinkNamespace) return undefined;
  if (local.startsWith('on') || refusedAttributes.has(local)) return undefined;
  if (local === 'href') return isOwnReference(element, value) ? value.trim() : undefined;
  if (local === 'style') return cleanCss(value);
  return cleanValue(value);
}

/** Whether a reference stays inside the image: a fragment, or an embedded raster picture. */
function isOwnReference(element: Element, value: string): boolean {
  const reference = value.trim();
  if (reference.startsWith('#')) return true;
  return (
    linkedImages.has(element.localName ?? '') &&
    /^data:image\/(?:png|jpe?g|gif|webp);base64,[\w+/=\s]*$/.test(reference)
  );
}

// CSS functions and rules that load something, and escapes that could hide their names.
const unsafe =
  /\\|@(?:import|font-face|namespace|charset|document)|(?:image-set|image|src|cross-fade|element|expression)\s*\(|javascript:|behavior\s*:|-moz-binding/i;
const ownReference = /^\s*(["']?)#[^"'()\s]*\1\s*$/;

/** Sanitizes a style sheet or a `style` attribute: removes everything that loads. */
function cleanCss(css: string): string {
  const plain = css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/@(?:import|charset|namespace)\b[^;{}]*(?:;|$)/gi, '')
    .replaceAll(/@font-face\s*\{[^{}]*\}/gi, '')
    .replaceAll(/url\(([^)]*)\)/gi, (whole, target: string) => (ownReference.test(target) ? whole : 'none'));
  return isSafe(plain) ? plain : '';
}

/** The value of any other attribute; undefined where it would load something. */
function cleanValue(value: string): string | undefined {
  return !value.includes('(') || isSafe(value) ? value : undefined;
}

function isSafe(css: string): boolean {
  if (unsafe.test(css)) return false;
  return [...css.matchAll(/url\s*\(([^)]*)(\)?)/gi)].every(
    ([, target, end]) => end !== '' && ownReference.test(target ?? ''),
  );
}
