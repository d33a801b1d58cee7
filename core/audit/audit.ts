/** Kinds of callers of the audit log: `operator` runs commands of the CLI, `system` is the service itself. */
export const auditCallers = ['key', 'member', 'staff', 'operator', 'system'] as const;

export type AuditCaller = (typeof auditCallers)[number];

/** The detail of a line that names the MCP client through which the caller acted: the hash of the line covers it. */
export const clientDetail = 'mcpClient';

// The part of an action before its dot, by what it is about.
const subjects = {
  signIns: ['auth'],
  keys: ['apiKey', 'apiKeys', 'app'],
  people: ['member', 'members', 'invitation', 'invitations'],
  domains: ['domain'],
  webhooks: ['webhook'],
  exports: ['export'],
  settings: ['organization'],
} as const satisfies Record<string, readonly string[]>;

/** What a line of the audit log is about; `staff`: whatever staff and operators did. */
export type AuditCategory = keyof typeof subjects | 'staff';
export const auditCategories = [...Object.keys(subjects), 'staff'] as AuditCategory[];

const bySubject = new Map<string, AuditCategory>(
  Object.entries(subjects).flatMap(([category, names]) => names.map((name) => [name, category as AuditCategory])),
);

export function auditCategoryOf({ caller, action }: { caller: AuditCaller; action: string }): AuditCategory {
  if (caller === 'staff' || caller === 'operator') return 'staff';
  return bySubject.get(action.slice(0, action.indexOf('.'))) ?? 'settings';
}

/** The beginnings of actions of a category, with their dots; undefined for `staff`, which the caller tells. */
export function actionPrefixesOf(category: AuditCategory): readonly string[] | undefined {
  return category === 'staff' ? undefined : subjects[category].map((name) => `${name}.`);
}
