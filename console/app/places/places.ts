// The pages that the menu and the palette lead to.

const main = [
  { to: '/links', icon: 'link', name: 'links' },
  { to: '/stats', icon: 'chart', name: 'stats' },
  { to: '/domains', icon: 'globe', name: 'domains' },
  { to: '/webhooks', icon: 'webhook', name: 'webhooks' },
  { to: '/imports', icon: 'import', name: 'imports' },
] as const;
const organize = [
  { to: '/folders', icon: 'folder', name: 'folders' },
  { to: '/tags', icon: 'tag', name: 'tags' },
  { to: '/qr-codes', icon: 'qr', name: 'qrCodes' },
  { to: '/files', icon: 'image', name: 'files' },
  { to: '/utm-templates', icon: 'template', name: 'templates' },
] as const;
const staff = { to: '/staff', icon: 'shield', name: 'staff' } as const;
const settings = { to: '/settings/organization', icon: 'settings', name: 'settings' } as const;
const activity = { to: '/activity', icon: 'history', name: 'activity' } as const;

type Place = (typeof main)[number] | (typeof organize)[number] | typeof staff | typeof settings | typeof activity;

/** In groups, with a heading but for the first. */
export const menuPlaces: readonly { heading?: 'organize'; items: readonly Place[] }[] = [
  { items: main },
  { heading: 'organize', items: organize },
];

/** At the foot of the menu. */
export const footPlaces = (isStaff: boolean): readonly Place[] => (isStaff ? [staff, settings] : [settings]);

export const allPlaces = (isStaff: boolean): readonly Place[] => [
  ...main,
  activity,
  ...organize,
  ...footPlaces(isStaff),
];
