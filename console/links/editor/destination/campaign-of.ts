import { utmNames as parameterNames } from '#core/routing/utm.ts';
import { type Draft, utmNames } from '#console/links/editor/draft.ts';

/**
 * Takes the campaign values out of an address that was pasted, so that they stand in the fields of the campaign. Other parameters stay as
 * they are; a field that has a value keeps it, and the address its own.
 */
export function readCampaign(address: string, draft: Draft): Partial<Draft> {
  const [, before, query, fragment] = /^(https?:\/\/[^?#]*)\?([^#]*)(#.*)?$/is.exec(address.trim()) ?? [];
  if (before === undefined || query === undefined) return { destination: address };
  const found: Partial<Record<(typeof utmNames)[number], string>> = {};
  const rest = query.split('&').filter((pair) => {
    const [name, value] = [...new URLSearchParams(pair)][0] ?? [];
    const field = utmNames[parameterNames.indexOf(name as (typeof parameterNames)[number])];
    if (field === undefined || value === undefined || value === '' || draft[field].trim() !== '' || field in found)
      return true;
    found[field] = value;
    return false;
  });
  const left = rest.length === 0 ? '' : `?${rest.join('&')}`;
  return { destination: `${before}${left}${fragment ?? ''}`, ...found };
}
