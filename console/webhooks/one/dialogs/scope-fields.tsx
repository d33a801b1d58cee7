import { useQuery } from '@tanstack/react-query';
import type { WebhookScope } from '#core/webhooks/scope.ts';
import { allFoldersQuery, allTagsQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { Choices } from '#console/ui/form/choices.tsx';
import { useScopeWords } from './scope-words.ts';
import css from '#console/webhooks/webhooks.module.css';

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
