import { useQuery } from '@tanstack/react-query';
import type { WebhookScope } from '#core/webhooks/scope.ts';
import { allFoldersQuery, allTagsQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { Choices } from '#console/ui/form/choices.tsx';
import css from '#console/webhooks/webhooks.module.css';
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

const useScopeWords = createWords({ en, de });

/** A scope to be changed: nothing named is no limit. */
export const emptyScope: WebhookScope = { folderIds: [], tagIds: [], domainIds: [], linkIds: [] };

/** The scope as the API takes it. */
export function toScope(scope: WebhookScope): WebhookScope | null {
  return Object.values(scope).some((ids) => ids.length > 0) ? scope : null;
}

/** The links whose events a webhook gets: those in some folders, with some tags, on some domains. */
export function ScopeFields({ scope, onChange }: { scope: WebhookScope; onChange: (scope: WebhookScope) => void }) {
  const words = useScopeWords();
  const { data: folders = [] } = useQuery(allFoldersQuery);
  const { data: tags = [] } = useQuery(allTagsQuery);
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  const all = {
    folderIds: folders.map(({ id, name }) => ({ id, label: name })),
    tagIds: tags.map(({ id, name }) => ({ id, label: name })),
    domainIds: domains.map(({ id, domain }) => ({ id, label: domain })),
  };
  return (
    <details className={css.scope} open={toScope(scope) !== null || undefined}>
      <summary>{words.title}</summary>
      <div className={css.scopeBody}>
        <p className="quiet">{words.hint}</p>
        {(['folderIds', 'tagIds', 'domainIds'] as const).map((kind) => (
          <Choices
            key={kind}
            label={words.kinds[kind]}
            hint={words.none[kind]}
            gone={words.gone}
            all={all[kind]}
            chosen={scope[kind]}
            onChange={(ids) => onChange({ ...scope, [kind]: ids })}
          />
        ))}
        {scope.linkIds.length > 0 && <p className="quiet">{words.links(scope.linkIds.length)}</p>}
      </div>
    </details>
  );
}
