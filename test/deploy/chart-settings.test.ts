import { expect, test } from 'vitest';
import { configSections, secretNames } from '#config/schema.ts';
import schema from '../../deploy/helm/values.schema.json' with { type: 'json' };

test('the chart takes every setting of a process that is no secret', () => {
  const { 'Only for npm start': _start, ...sections } = configSections;
  const settings = Object.values(sections).flatMap((section) => Object.keys(section));
  const [{ enum: names }] = schema.definitions.setting.anyOf as [{ enum: string[] }, unknown];
  expect(names).toEqual(settings.filter((name) => !secretNames.some((secret) => secret === name)));
});
