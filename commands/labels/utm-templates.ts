import { AppError } from '#core/errors/errors.ts';
import type { UtmTemplateDraft, UtmTemplatePatch } from '#core/labels/utm-template.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockPart } from '#db/connection/locks.ts';
import { UtmTemplate } from '#db/entities/links/utm-templates.ts';
import { flushRefusing } from '#commands/flush.ts';
import { changedNames, recordActivity } from '#commands/activity.ts';

// A choice, of every plan: templates hold a few hundred bytes, and a list of more could not be surveyed.
const mostTemplates = 200;

const nameInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'A UTM template with this name exists already.', { reason: 'name' });

/**
 * Creates a template.
 * @throws AppError ALREADY_EXIST, without regard to case; PLAN_LIMIT_REACHED.
 */
export async function createUtmTemplate(
  em: EntityManager,
  actor: Actor,
  draft: UtmTemplateDraft,
  now: Date,
): Promise<UtmTemplate> {
  const { organizationId } = actor;
  await lockPart(em, 'utm templates', organizationId);
  const templates = em.getRepository(UtmTemplate);
  if ((await templates.count({ organization: organizationId })) >= mostTemplates)
    throw new AppError('PLAN_LIMIT_REACHED', `An organization has at most ${mostTemplates} UTM templates.`);
  const template = templates.add(organizationId, draft, now);
  await flushRefusing(em, { utm_templates_name_key: nameInUse });
  await recordActivity(em, actor, { action: 'utmTemplate.created', subjectId: template.id, name: draft.name }, now);
  return template;
}

/**
 * Changes the fields of a template that are sent. Links that were filled from it keep their values.
 * @throws AppError NOT_FOUND, FORBIDDEN, ALREADY_EXIST.
 */
export async function updateUtmTemplate(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: UtmTemplatePatch,
  now: Date,
): Promise<UtmTemplate> {
  const template = requireOwn(await em.getRepository(UtmTemplate).hold(id), actor, 'UTM template');
  const fields = changedNames(patch, template);
  if (fields.length === 0) return template;
  template.change(patch, now);
  await flushRefusing(em, { utm_templates_name_key: nameInUse });
  const details = { fields };
  await recordActivity(em, actor, { action: 'utmTemplate.updated', subjectId: id, name: template.name, details }, now);
  return template;
}

/** Deletes a template. Links that were filled from it keep their values. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function deleteUtmTemplate(em: EntityManager, actor: Actor, id: string, now: Date): Promise<void> {
  const templates = em.getRepository(UtmTemplate);
  const { name } = requireOwn(await templates.hold(id), actor, 'UTM template');
  await templates.nativeDelete({ id });
  await recordActivity(em, actor, { action: 'utmTemplate.deleted', subjectId: id, name }, now);
}
