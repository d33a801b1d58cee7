const hasScope = 'num_nonnulls(w.scope_folder_ids, w.scope_tag_ids, w.scope_domain_ids, w.scope_link_ids) > 0';

/** SQL: that a webhook `w` names the folder, the domain or a tag of a row. */
const names = (folder: string, domain: string, tags: string): string => `
  coalesce(${folder} = any(w.scope_folder_ids), false) or coalesce(${domain} = any(w.scope_domain_ids), false)
  or coalesce(${tags} && w.scope_tag_ids, false)`;

/**
 * SQL: that an event `e` is in the scope of a webhook `w`. The link of the event counts as it was when the event was written; where
 * that was not kept, since no webhook of the organization had a scope, as it is now. Subqueries, not joins, so that webhooks without
 * a scope cost one comparison.
 */
export const isInScope = `(not ${hasScope} or coalesce(e.link_id = any(w.scope_link_ids), false)
  or e.link_id is not null and coalesce(
    (select ${names('s.folder_id', 's.domain_id', 's.tag_ids')} from event_scopes s where s.event_id = e.id),
    (select ${names('l.folder_id', 'l.domain_id', 'array(select t.tag_id from link_tags t where t.link_id = l.id)')}
      from short_links l where l.id = e.link_id),
    false)
  or e.type in ('domain.verified', 'domain.lost')
    and coalesce((e.body::jsonb #>> '{data,domain,id}')::uuid = any(w.scope_domain_ids), false))`;
