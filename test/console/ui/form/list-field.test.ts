import { expect, test } from 'vitest';
import { bestFirst } from '#console/ui/form/list-field.tsx';

const countries = ['Algeria', 'France', 'Germany', 'Niger'].map((label) => ({ label }));

test('choices that begin with the text come first, all in their order', () => {
  expect(bestFirst(countries, ' GER').map(({ label }) => label)).toEqual(['Germany', 'Algeria', 'France', 'Niger']);
  expect(bestFirst(countries, '')).toBe(countries);
});
