import { useLanguage } from './language.ts';

const en = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

const de: typeof en = {
  AF: 'Afrika',
  AN: 'Antarktis',
  AS: 'Asien',
  EU: 'Europa',
  NA: 'Nordamerika',
  OC: 'Ozeanien',
  SA: 'Südamerika',
};

/** A continent, as GeoIP databases name it. */
export type Continent = keyof typeof en;

const names = { en, de };

export function useContinentNames(): typeof en {
  return names[useLanguage()];
}
