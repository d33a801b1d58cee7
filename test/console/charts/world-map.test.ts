import { describe, expect, it } from 'vitest';
import { stepsOf } from '#console/charts/steps.ts';
import world from '#console/charts/world.json' with { type: 'json' };
import { isCountry } from '#core/routing/iso-codes.ts';

describe('the map of the world', () => {
  it('has a shape or a dot for countries that visitors come from, each once, inside its frame', () => {
    const codes = [...Object.keys(world.paths), ...Object.keys(world.dots)];
    expect(codes.filter((code) => !isCountry(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).toEqual(expect.arrayContaining(['DE', 'US', 'XK', 'SG', 'MT', 'MC', 'HK']));
    for (const [x = -1, y = -1] of Object.values(world.dots))
      expect(x >= 0 && x <= world.width && y >= 0 && y <= world.height).toBe(true);
  });

  it('colours by quantiles: the country with most clicks is darkest, also where it is alone', () => {
    expect(stepsOf(new Map([['DE', 1]]))).toEqual(new Map([['DE', 5]]));
    const counts = new Map(['DE', 'FR', 'US', 'IT', 'ES'].map((code, index) => [code, 10 ** index]));
    expect([...stepsOf(counts).values()]).toEqual([1, 2, 3, 4, 5]);
  });
});
