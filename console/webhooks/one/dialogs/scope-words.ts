import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  title: 'Only some links',
  hint: 'The webhook gets the events of links in any ticked folder, with any ticked tag, or on any ticked domain. Without a tick it gets those of all links.',
  kinds: { folderIds: 'In folders', tagIds: 'With tags', domainIds: 'On domains' },
  none: { folderIds: 'No folder is ticked.', tagIds: 'No tag is ticked.', domainIds: 'No domain is ticked.' },
  gone: 'deleted since',
  links: (count: number) =>
    plural('en', count, {
      one: 'One single link is named too; it is changed by the API.',
      other: '# single links are named too; they are changed by the API.',
    }),
};

const de: typeof en = {
  title: 'Nur manche Links',
  hint: 'Der Webhook bekommt die Ereignisse von Links in einem angekreuzten Ordner, mit einem angekreuzten Tag oder auf einer angekreuzten Domain. Ohne Kreuz bekommt er die aller Links.',
  kinds: { folderIds: 'In Ordnern', tagIds: 'Mit Tags', domainIds: 'Auf Domains' },
  none: {
    folderIds: 'Kein Ordner ist angekreuzt.',
    tagIds: 'Kein Tag ist angekreuzt.',
    domainIds: 'Keine Domain ist angekreuzt.',
  },
  gone: 'inzwischen gelöscht',
  links: (count) =>
    plural('de', count, {
      one: 'Ein einzelner Link ist auch genannt; ihn ändert die API.',
      other: '# einzelne Links sind auch genannt; sie ändert die API.',
    }),
};

export const useScopeWords = createWords({ en, de });
