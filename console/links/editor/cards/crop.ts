/** Size of the pictures of cards in pixels, which all networks take. */
export const cardSize = { width: 1_200, height: 630 };

/** The part of a picture that is shown: how far it is enlarged, from 1, and its place, each from 0 to 1. */
export interface Crop {
  zoom: number;
  across: number;
  down: number;
}

/** The middle of a picture, as large as it fits. */
export const middle: Crop = { zoom: 1, across: 0.5, down: 0.5 };

/** A rectangle in pixels of the picture. */
interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of a picture that fills a card. It is never beyond the edges of the picture. */
export function partOf({ width, height }: { width: number; height: number }, { zoom, across, down }: Crop): Part {
  const scale = Math.max(cardSize.width / width, cardSize.height / height) * Math.max(1, zoom);
  const part = { width: Math.min(width, cardSize.width / scale), height: Math.min(height, cardSize.height / scale) };
  const place = (share: number, room: number): number => Math.min(1, Math.max(0, share)) * room;
  return { x: place(across, width - part.width), y: place(down, height - part.height), ...part };
}

/** The place after a picture was dragged. @param by pixels of the card, as it was moved. */
export function dragged(
  size: { width: number; height: number },
  crop: Crop,
  by: { x: number; y: number },
  shownWidth: number,
): Crop {
  const part = partOf(size, crop);
  const scale = part.width / shownWidth;
  const move = (share: number, pixels: number, room: number): number =>
    room < 1 ? share : Math.min(1, Math.max(0, share - (pixels * scale) / room));
  return {
    zoom: crop.zoom,
    across: move(crop.across, by.x, size.width - part.width),
    down: move(crop.down, by.y, size.height - part.height),
  };
}
