import type { Action, Permissions, Resource } from '#core/organizations/permissions.ts';
import { nouns } from '#console/i18n/nouns.ts';

const en = {
  resources: {
    shortLinks: 'Links, folders, tags',
    domains: 'Domains',
    stats: 'Statistics',
    files: nouns.en.files,
    apiKeys: 'API keys, people, settings',
    webhooks: nouns.en.webhooks,
  } satisfies Record<Resource, string>,
  actions: { create: 'create', read: 'read', update: 'change', delete: 'delete' } satisfies Record<Action, string>,
  allActions: 'everything',
};

const de: typeof en = {
  resources: {
    shortLinks: 'Links, Ordner, Tags',
    domains: 'Eigene Domains',
    stats: 'Statistik',
    files: nouns.de.files,
    apiKeys: 'API-Schlüssel, Personen, Einstellungen',
    webhooks: nouns.de.webhooks,
  },
  actions: { create: 'anlegen', read: 'lesen', update: 'ändern', delete: 'löschen' },
  allActions: 'alles',
};

/** Names of what keys may do, by language. */
export const permissionWords = { en, de };

/** What a key may do, in a few words; empty: nothing. */
export function sayPermissions(permissions: Permissions, words: typeof en): string {
  return (Object.entries(permissions) as [Resource, readonly Action[]][])
    .filter(([, granted]) => granted.length > 0)
    .map(([resource, granted]) => {
      const isAll = Object.keys(words.actions).every((action) => granted.includes(action as Action));
      const can = isAll ? words.allActions : granted.map((action) => words.actions[action] ?? action).join(', ');
      return `${words.resources[resource] ?? resource} (${can})`;
    })
    .join('; ');
}
