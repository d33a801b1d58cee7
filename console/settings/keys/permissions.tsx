import type { ApiKey, KeyPermissions } from '#console/api/people/keys.ts';
import { Checkbox } from '#console/ui/form/field.tsx';
import type { Action, Resource } from '#core/organizations/permissions.ts';
import { useKeyWords } from './words.ts';
import settings from '#console/settings/settings.module.css';

const resources: readonly Resource[] = ['shortLinks', 'stats', 'domains', 'files', 'webhooks', 'apiKeys'];

/** What a person may grant to a key of a type: what they may do themselves; only their own key manages keys. */
function grantable(own: KeyPermissions, type: ApiKey['type'], resource: Resource): readonly Action[] {
  if (resource === 'apiKeys' && type !== 'user') return [];
  // Statistics are only read.
  return (own[resource] ?? []).filter((action) => resource !== 'stats' || action === 'read');
}

/** These actions on every resource but API keys, as far as they can be granted. */
export function only(own: KeyPermissions, type: ApiKey['type'], wanted: readonly Action[]): KeyPermissions {
  return Object.fromEntries(
    resources.flatMap((resource) => {
      const granted = grantable(own, type, resource).filter((action) => wanted.includes(action));
      return granted.length === 0 || resource === 'apiKeys' ? [] : [[resource, granted]];
    }),
  );
}

interface PermissionsProps {
  own: KeyPermissions;
  type: ApiKey['type'];
  chosen: KeyPermissions;
  onChange: (permissions: KeyPermissions) => void;
}

/** Resources and actions to tick. */
export function Permissions({ own, type, chosen, onChange }: PermissionsProps) {
  const words = useKeyWords();
  return resources
    .map((resource) => ({ resource, granted: grantable(own, type, resource) }))
    .filter(({ granted }) => granted.length > 0)
    .map(({ resource, granted }) => (
      <div key={resource} className={settings.permission}>
        <span>{words.resources[resource]}</span>
        <span className={settings.ticks}>
          {granted.map((action) => (
            <Checkbox
              key={action}
              aria-label={words.permission(words.resources[resource], words.actions[action])}
              isSelected={chosen[resource]?.includes(action) ?? false}
              onChange={(isSelected) => {
                const kept = (chosen[resource] ?? []).filter((one) => one !== action);
                onChange({ ...chosen, [resource]: isSelected ? [...kept, action] : kept });
              }}
            >
              {words.actions[action]}
            </Checkbox>
          ))}
        </span>
      </div>
    ));
}
