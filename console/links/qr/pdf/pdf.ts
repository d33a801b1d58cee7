import { PdfFile } from './file.ts';
import { isEvenOdd, operatorsOf, shown } from './path.ts';

// A QR code for print, made of its SVG. Our own lines, not a library: jsPDF with svg2pdf.js weighs more than all pages of statistics,
// and of SVG a drawn code has rectangles, circles, arcs, two gradients and a logo.

/** Pixels of a logo: red, green, blue and alpha, each a byte. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

interface QrPdf {
  /** The root of the drawn SVG. */
  svg: Element;
  /** Side of the code with its quiet zone after the cut, in millimetres. */
  size: number;
  /** How far the background goes beyond the cut on each side, in millimetres. */
  bleed: number;
  /** Paints the picture of an address in a shape. */
  rasterize: (href: string, width: number, height: number) => Promise<Pixels>;
}

const pointsOf = (millimetres: number): number => (millimetres * 72) / 25.4;
const idOf = (reference: string | null): string | undefined => /^url\(#(.*)\)$/.exec(reference ?? '')?.[1];
const numberOf = (element: Element, name: string): number => Number.parseFloat(element.getAttribute(name) ?? '0');
const childrenOf = (element: Element): Element[] =>
  Array.from(element.childNodes).filter((node): node is Element => node.nodeType === 1);

/** Makes a PDF of one page, whose modules are shapes. Greys are printed with black ink alone. */
export async function createQrPdf({ svg, size, bleed, rasterize }: QrPdf): Promise<Uint8Array> {
  const file = new PdfFile();
  const byId = new Map<string | undefined, Element>();
  for (const element of Array.from(svg.getElementsByTagName('*'))) {
    const id = element.getAttribute('id');
    if (id !== null && id !== '') byId.set(id, element);
  }
  const side = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const [trim, edge] = [pointsOf(size), pointsOf(bleed)];
  const media = trim + 2 * edge;
  const resources = { Shading: new Map<string, string>(), XObject: new Map<string, string>() };
  const painted = childrenOf(svg).filter(({ tagName }) => tagName !== 'defs');
  const content: string[] = [];
  const ground = painted.find((element) => idOf(element.getAttribute('clip-path'))?.includes('background') === true);
  if (bleed > 0 && ground !== undefined && idOf(ground.getAttribute('fill')) === undefined)
    content.push(`${colorOf(ground.getAttribute('fill') ?? '')} 0 0 ${shown(media)} ${shown(media)} re f`);
  // From pixels of the picture, whose y grows downwards, to points of the page.
  content.push(`${shown(trim / side)} 0 0 ${shown(-trim / side)} ${shown(edge)} ${shown(edge + trim)} cm`);
  for (const element of painted) {
    if (element.tagName === 'image') {
      const [width, height] = [numberOf(element, 'width'), numberOf(element, 'height')];
      const href = element.getAttribute('xlink:href') ?? element.getAttribute('href') ?? '';
      const name = `Logo${String(resources.XObject.size)}`;
      resources.XObject.set(name, await addPicture(file, await rasterize(href, width, height)));
      const bottom = numberOf(element, 'y') + height;
      content.push(
        `q ${shown(width)} 0 0 ${shown(-height)} ${shown(numberOf(element, 'x'))} ${shown(bottom)} cm /${name} Do Q`,
      );
      continue;
    }
    const clip = byId.get(idOf(element.getAttribute('clip-path')));
    const shapes = clip === undefined ? [element] : childrenOf(clip);
    const path = shapes.map(operatorsOf).join('\n');
    const rule = shapes.some(isEvenOdd) ? '*' : '';
    const gradient = byId.get(idOf(element.getAttribute('fill')));
    if (gradient === undefined) {
      content.push(`${colorOf(element.getAttribute('fill') ?? '')}\n${path}\nf${rule}`);
      continue;
    }
    const name = `Gradient${String(resources.Shading.size)}`;
    resources.Shading.set(name, file.add(shadingOf(gradient)));
    content.push(`q\n${path}\nW${rule} n /${name} sh Q`);
  }
  const named = Object.entries(resources)
    .filter(([, entries]) => entries.size > 0)
    .map(([kind, entries]) => `/${kind} << ${[...entries].map(([name, ref]) => `/${name} ${ref}`).join(' ')} >>`);
  const contents = await file.addStream('', content.join('\n'));
  const mediaBox = `[0 0 ${shown(media)} ${shown(media)}]`;
  const trimBox = `[${shown(edge)} ${shown(edge)} ${shown(edge + trim)} ${shown(edge + trim)}]`;
  // The pages' node comes after its only page, whose parent it is.
  const pages = `${String(Number.parseInt(contents, 10) + 2)} 0 R`;
  const page = file.add(
    `/Type /Page /Parent ${pages} /MediaBox ${mediaBox} /BleedBox ${mediaBox} /TrimBox ${trimBox} /Resources << ${named.join(' ')} >> /Contents ${contents}`,
  );
  file.add(`/Type /Pages /Kids [${page}] /Count 1`);
  return file.bytes(file.add(`/Type /Catalog /Pages ${pages}`));
}

/** Parts of a colour, 0 to 1. */
function partsOf(color: string): readonly [number, number, number] {
  const digits = color.slice(1);
  const long = digits.length <= 4 ? digits.replaceAll(/./g, '$&$&') : digits;
  const part = (at: number): number => Number.parseInt(long.slice(at, at + 2), 16) / 255;
  return [part(0), part(2), part(4)];
}

/** The operator that sets a colour to fill with. */
function colorOf(color: string): string {
  const [red, green, blue] = partsOf(color);
  return red === green && green === blue ? `${shown(red)} g` : `${shown(red)} ${shown(green)} ${shown(blue)} rg`;
}

function shadingOf(gradient: Element): string {
  const isLinear = gradient.tagName === 'linearGradient';
  const values = (...names: string[]): string => names.map((name) => shown(numberOf(gradient, name))).join(' ');
  const coords = isLinear ? values('x1', 'y1', 'x2', 'y2') : `${values('cx', 'cy')} 0 ${values('cx', 'cy', 'r')}`;
  return `/ShadingType ${isLinear ? '2' : '3'} /ColorSpace /DeviceRGB /Coords [${coords}] /Extend [true true] /Function ${functionOf(childrenOf(gradient))}`;
}

/** The function of a gradient's stops: from one to the next each. */
function functionOf(elements: readonly Element[]): string {
  const stops = elements.map((stop) => ({
    at: numberOf(stop, 'offset') / 100,
    color: partsOf(stop.getAttribute('stop-color') ?? '#000')
      .map(shown)
      .join(' '),
  }));
  const parts = stops
    .slice(1)
    .map(({ color }, index) => `<< /FunctionType 2 /Domain [0 1] /C0 [${stops[index]!.color}] /C1 [${color}] /N 1 >>`);
  if (parts.length === 0)
    return `<< /FunctionType 2 /Domain [0 1] /C0 [${stops[0]!.color}] /C1 [${stops[0]!.color}] /N 1 >>`;
  if (parts.length === 1 && stops[0]!.at === 0 && stops[1]!.at === 1) return parts[0]!;
  const bounds = stops.slice(1, -1).map(({ at }) => shown(at));
  return `<< /FunctionType 3 /Domain [${shown(stops[0]!.at)} ${shown(stops.at(-1)!.at)}] /Functions [${parts.join(' ')}] /Bounds [${bounds.join(' ')}] /Encode [${parts.map(() => '0 1').join(' ')}] >>`;
}

/** Adds a picture with its transparency. @returns its reference. */
async function addPicture(file: PdfFile, { width, height, data }: Pixels): Promise<string> {
  const colors = new Uint8Array(width * height * 3);
  const alpha = new Uint8Array(width * height);
  for (let at = 0; at < alpha.length; at += 1) {
    colors.set(data.subarray(at * 4, at * 4 + 3), at * 3);
    alpha[at] = data[at * 4 + 3]!;
  }
  const shape = `/Type /XObject /Subtype /Image /Width ${String(width)} /Height ${String(height)} /BitsPerComponent 8`;
  const mask = await file.addStream(`${shape} /ColorSpace /DeviceGray`, alpha);
  return file.addStream(`${shape} /ColorSpace /DeviceRGB /SMask ${mask}`, colors);
}
