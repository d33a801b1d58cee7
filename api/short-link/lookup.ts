import type { z } from 'zod';
import { normalizeDomainName } from '#commands/links/references.ts';
import { invalid } from '#core/errors/errors.ts';
import type { Site } from '#core/links/site.ts';
import type { LookedUp } from '#db/links/lookup.ts';
import type { lookupQuerySchema } from './schema.ts';

/** Reads which link a query means. @throws AppError VALIDATION_ERROR where it names none, or names one in two ways. */
export function toLinkName(query: z.output<typeof lookupQuerySchema>, site: Site): LookedUp {
  const { domain, slug, externalId, url } = query;
  const [first, second] = Object.entries({ slug: domain ?? slug, externalId, url })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (first === undefined) throw invalid('', 'One of domain with slug, externalId and url is required.');
  if (second !== undefined)
    throw invalid(second, `cannot be given with ${first === 'slug' ? 'domain and slug' : first}`);
  if (externalId !== undefined) return { externalId };
  if (url !== undefined) return { url, short: site.parse(url) };
  if (domain === undefined) throw invalid('domain', 'is required with slug');
  if (slug === undefined) throw invalid('slug', 'is required with domain');
  // No domain has a name that cannot be one: the answer is 404.
  return { host: normalizeDomainName(domain, site) ?? '', slug: slug.normalize('NFC') };
}
