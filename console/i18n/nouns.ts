const en = {
  links: 'Links',
  folders: 'Folders',
  tags: 'Tags',
  domains: 'Domains',
  webhooks: 'Webhooks',
  files: 'Files',
  imports: 'Imports',
  qrCodes: 'QR codes',
  templates: 'UTM templates',
  organizations: 'Organizations',
};

const de: typeof en = {
  links: 'Links',
  folders: 'Ordner',
  tags: 'Tags',
  domains: 'Domains',
  webhooks: 'Webhooks',
  files: 'Dateien',
  imports: 'Importe',
  qrCodes: 'QR-Codes',
  templates: 'UTM-Vorlagen',
  organizations: 'Organisationen',
};

/** Names of the resources, for the dictionaries of areas. */
export const nouns = { en, de };

export const utmNames = {
  en: {
    utmSource: 'UTM source',
    utmMedium: 'UTM medium',
    utmCampaign: 'UTM campaign',
    utmTerm: 'UTM term',
    utmContent: 'UTM content',
  },
  de: {
    utmSource: 'UTM-Quelle',
    utmMedium: 'UTM-Medium',
    utmCampaign: 'UTM-Kampagne',
    utmTerm: 'UTM-Begriff',
    utmContent: 'UTM-Inhalt',
  },
};

/** Names that the API shows in place of those of an erased person and their key, in German. */
const erased = new Map([
  ['Erased person', 'Gelöschte Person'],
  ['Erased', 'Gelöscht'],
]);

/** The name of a caller, in the language of the page where nothing but its erasure is left of it. */
export function callerName<Name extends string | null>(name: Name): Name | string {
  if (name === null || document.documentElement.lang !== 'de') return name;
  return erased.get(name) ?? name;
}
