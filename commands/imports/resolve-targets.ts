import { z } from 'zod';
import type { Actor } from '#core/audit/actor.ts';
import { AppError, asRefusal } from '#core/errors/errors.ts';
import { unnamedDomain } from '#core/imports/rows/check-row.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { invalidBy } from '#core/errors/issues.ts';
import { labelNameSchema } from '#core/labels/label.ts';
import type { ImportedLink } from '#core/imports/rows/row-reader.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Folder } from '#db/entities/links/links.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { createFolder } from '#commands/labels/folders.ts';
import { type DomainChoice, requireDomain } from '#commands/links/domain-choice.ts';

const folderSchema = z.strictObject({ folder: labelNameSchema });

/** The domain of a row: its own where the organization has it, else the default one. */
export function domainOf(
  { domain, domainNumber, needsDomain }: ImportedLink,
  domains: readonly DomainChoice[],
  actor: Actor,
  site: Site,
): string {
  const find = (wanted: { domain?: string }): string => requireDomain(wanted, domains, actor, site).id;
  if (domainNumber !== undefined) throw unnamedDomain(domainNumber);
  if (domain === undefined) return find({});
  try {
    return find({ domain });
  } catch (error) {
    if (needsDomain || !(error instanceof AppError)) throw error;
    return find({});
  }
}

/** Finds the folders that rows name, and creates the missing ones. */
export async function findFolders(em: EntityManager, actor: Actor, links: readonly ImportedLink[], now: Date) {
  const ids = new Map<string, string | AppError>();
  const names = new Map<string, string>();
  for (const { folder } of links) if (folder !== undefined) names.set(foldCase(folder.trim()), folder.trim());
  const repository = em.getRepository(Folder);
  const find = () => repository.holdNamed(actor.organizationId, [...names.keys()]);
  let found = await find();
  if (found.length < names.size) {
    // Another import of the organization may create the same folders.
    await lockOrganization(em, actor.organizationId);
    found = await find();
  }
  for (const { id, nameKey } of found) ids.set(nameKey, id);
  const made: string[] = [];
  for (const [key, text] of names) {
    if (ids.has(key)) continue;
    const id = await makeFolder(em, actor, text, now);
    ids.set(key, id);
    if (typeof id === 'string') made.push(id);
  }
  return {
    /** Id of the folder with a name; undefined without a name. @throws AppError why the folder could not be created. */
    idOf(name: string | undefined): string | undefined {
      if (name === undefined) return undefined;
      const id = ids.get(foldCase(name.trim()))!;
      if (id instanceof AppError) throw id;
      return id;
    },
    /** Removes folders that were created for rows which then failed. @param used ids of folders that got links. */
    async removeUnused(used: ReadonlySet<string>): Promise<void> {
      const unused = made.filter((id) => !used.has(id));
      if (unused.length > 0) await repository.nativeDelete({ id: { $in: unused } });
    },
  };
}

async function makeFolder(em: EntityManager, actor: Actor, text: string, now: Date): Promise<string | AppError> {
  const parsed = folderSchema.safeParse({ folder: text });
  if (!parsed.success) return invalidBy(parsed.error.issues);
  try {
    return (await createFolder(em, actor, { name: parsed.data.folder }, now)).id;
  } catch (error) {
    return asRefusal(error);
  }
}
