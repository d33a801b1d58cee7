import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardSize, dragged, middle, partOf } from '#console/links/editor/cards/crop.ts';

const side = fc.integer({ min: 1, max: 8_000 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const crops = fc.record({ zoom: fc.double({ min: 1, max: 4, noNaN: true }), across: share, down: share });

describe('the part of a picture that a card shows', () => {
  it('is all of a picture of the card’s size', () => {
    expect(partOf(cardSize, middle)).toEqual({ x: 0, y: 0, ...cardSize });
  });

  it('is the middle of a larger one', () => {
    expect(partOf({ width: 1_200, height: 1_630 }, middle)).toEqual({ x: 0, y: 500, width: 1_200, height: 630 });
    expect(partOf({ width: 2_400, height: 1_260 }, { ...middle, zoom: 2 })).toEqual({
      x: 600,
      y: 315,
      width: 1_200,
      height: 630,
    });
  });

  it('has the shape of a card, and is never beyond the picture', () => {
    fc.assert(
      fc.property(side, side, crops, (width, height, crop) => {
        const part = partOf({ width, height }, crop);
        expect(part.width / part.height).toBeCloseTo(cardSize.width / cardSize.height, 6);
        expect(part.x).toBeGreaterThanOrEqual(0);
        expect(part.y).toBeGreaterThanOrEqual(0);
        expect(part.x + part.width).toBeLessThanOrEqual(width + 1e-6);
        expect(part.y + part.height).toBeLessThanOrEqual(height + 1e-6);
      }),
    );
  });

  it('follows the pointer that drags the picture, until its edge', () => {
    const size = { width: 2_400, height: 630 };
    const moved = dragged(size, middle, { x: -100, y: 40 }, 600);
    // The card is drawn at half its size: 100 pixels there are 200 of the picture.
    expect(partOf(size, moved).x).toBeCloseTo(800, 6);
    expect(moved.down).toBe(middle.down);
    expect(dragged(size, moved, { x: -10_000, y: 0 }, 600).across).toBe(1);
    expect(dragged(size, moved, { x: 10_000, y: 0 }, 600).across).toBe(0);
  });
});
