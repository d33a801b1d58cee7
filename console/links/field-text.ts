import { useQuery } from '@tanstack/react-query';
import { fileListQuery } from '#console/api/links/files.ts';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import type { LinkChange } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { createWords } from '#console/i18n/words.ts';
import { spaced, useFieldName } from '#console/processes/field-names.ts';
import { qrStyleWords } from './qr-style-words.ts';
import { useConditions } from './rule-text.ts';

type FieldChange = LinkChange['changes'][number];

/** A field of a link, or a part of one, before and after a change; empty: it had or has none. */
export interface ChangedPart {
  name: string;
  before: string;
  after: string;
}

/** Names of the parts of fields, by their places in the API; those of a QR code's style by that of the style. */
const partNames = {
  'qrCode.imageId': 'logo',
  'qrCode.options.margin': 'margin',
  'qrCode.options.imageOptions.imageSize': 'logoSize',
  'qrCode.options.dotsOptions.type': 'dots',
  'qrCode.options.dotsOptions.color': 'color',
  'qrCode.options.dotsOptions.gradient': 'gradient',
  'qrCode.options.cornersSquareOptions.type': 'cornerSquare',
  'qrCode.options.cornersSquareOptions.color': 'cornerColor',
  'qrCode.options.cornersDotOptions.type': 'cornerDot',
  'qrCode.options.cornersDotOptions.color': 'cornerDotColor',
  'qrCode.options.backgroundOptions.color': 'ground',
  'destination.enableDeepLinking': 'deepLinking',
  'destination.iosDeepLink': 'ios',
  'destination.androidDeepLink': 'android',
  'metaTags.title': 'title',
  'metaTags.description': 'description',
  'metaTags.imageId': 'picture',
} as const satisfies Record<string, keyof typeof en>;

const en = {
  ...qrStyleWords.en,
  cornerDotColor: 'Colour of the corners, inside',
  deepLinking: 'Opens an app on phones',
  ios: 'Address of the app on iOS',
  android: 'Address of the app on Android',
  title: 'Title',
  description: 'Description',
  picture: 'Picture',
};

const de: typeof en = {
  ...qrStyleWords.de,
  cornerDotColor: 'Farbe der Ecken innen',
  deepLinking: 'Öffnet auf Telefonen eine App',
  ios: 'Adresse der App auf iOS',
  android: 'Adresse der App auf Android',
  title: 'Titel',
  description: 'Beschreibung',
  picture: 'Bild',
};

const usePartWords = createWords({ en, de });

// What people do not read in a field: the kind of a destination is told by its address.
const technical = new Set(['destination.type', 'qrCode.options.type']);

type Parts = Readonly<Record<string, unknown>>;

function isParts(path: string, value: unknown): value is Parts {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !path.endsWith('.gradient');
}

/** The parts of a field's value, by their places. */
function partsOf(path: string, value: unknown): [string, unknown][] {
  if (!isParts(path, value)) return technical.has(path) ? [] : [[path, value]];
  return Object.entries(value).flatMap(([name, part]) => partsOf(`${path}.${name}`, part));
}

/**
 * @returns what writes the values of a link's fields, as the API has them, for people: ids as names, states as words. `tell` has the parts
 * that a change gave another value.
 * @param hasPictures whether a value may have one, whose name is read.
 */
export function useFieldText({ hasPictures }: { hasPictures: boolean }) {
  const words = usePartWords();
  const format = useFormat();
  const fieldName = useFieldName();
  const conditions = useConditions();
  const { data: folders = [] } = useQuery(allFoldersQuery);
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  const { data: files } = useQuery({ ...fileListQuery({ limit: 50 }), enabled: hasPictures });

  const textOf = (path: string, value: unknown): string => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'boolean') return fieldName(String(value));
    if (typeof value === 'number') return path.endsWith('imageSize') ? format.percent(value, 0) : format.number(value);
    if (path === 'rules' && isParts(path, value))
      return `${conditions(value)}: ${textOf('destination', value.destination)}`;
    if (path.endsWith('.gradient'))
      return ((value as { colorStops?: { color: string }[] }).colorStops ?? []).map(({ color }) => color).join(' – ');
    if (Array.isArray(value)) return value.map((one) => textOf(path, one)).join(path === 'rules' ? '; ' : ', ');
    if (typeof value === 'object')
      return partsOf(path, value)
        .map(([place, part]) => (part === false ? '' : part === true ? nameOf(place) : textOf(place, part)))
        .filter((text) => text !== '')
        .join(' · ');
    const text = value as string;
    if (path === 'folderId') return folders.find(({ id }) => id === text)?.name ?? text;
    if (path === 'domainId') return domains.find(({ id }) => id === text)?.domain ?? text;
    if (path === 'expiresAt') return format.moment(text);
    if (path.endsWith('.imageId')) return files?.data.find(({ id }) => id === text)?.name ?? text;
    if (path.endsWith('Options.type')) return words.shapes[text as keyof typeof words.shapes] ?? text;
    return text;
  };

  /** The name of a field, or of a part of one. */
  const nameOf = (path: string): string => {
    const [field = '', ...parts] = path.split('.');
    const last = parts.at(-1);
    if (last === undefined || path === 'destination.value') return fieldName(field);
    const name = path in partNames ? words[partNames[path as keyof typeof partNames]] : spaced(last);
    return `${fieldName(field)} · ${name}`;
  };

  const tell = ({ field, before, after }: FieldChange): ChangedPart[] => {
    if (field === 'rules') return [changedRules(before, after)];
    const old = new Map(partsOf(field, before));
    const now = new Map(partsOf(field, after));
    return [...new Set([...old.keys(), ...now.keys()])]
      .map((path) => ({
        name: nameOf(path),
        before: textOf(path, old.get(path)),
        after: textOf(path, now.get(path)),
      }))
      .filter((part) => part.before !== part.after);
  };

  /** Without the rules that both lists have, unless their order alone differs. */
  function changedRules(before: unknown, after: unknown): ChangedPart {
    const [old = [], now = []] = [before, after].map((rules) =>
      (Array.isArray(rules) ? rules : []).map((rule) => textOf('rules', rule)),
    );
    const gone = old.filter((rule) => !now.includes(rule));
    const made = now.filter((rule) => !old.includes(rule));
    const isOrder = gone.length === 0 && made.length === 0;
    return {
      name: fieldName('rules'),
      before: (isOrder ? old : gone).join('; '),
      after: (isOrder ? now : made).join('; '),
    };
  }

  return { textOf, tell };
}
