import { useState } from 'react';
import type { QrStyle } from './designer.tsx';

// Styles that are not saved survive a look at another page and a reload, as long as the tab lives.

const nameOf = (linkId: string): string => `waymark.qr.${linkId}`;

/** The style of a link's code as it is edited, kept until it is saved. */
export function useKeptStyle(linkId: string, saved: QrStyle): [QrStyle, (style: QrStyle) => void] {
  const [style, setStyle] = useState(() => readStyle(linkId) ?? saved);
  return [
    style,
    (next) => {
      setStyle(next);
      try {
        sessionStorage.setItem(nameOf(linkId), JSON.stringify(next));
      } catch {
        // The browser's store is full or switched off: the style lives as long as the page.
      }
    },
  ];
}

export function forgetStyle(linkId: string): void {
  sessionStorage.removeItem(nameOf(linkId));
}

function readStyle(linkId: string): QrStyle | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(linkId)) ?? '') as QrStyle;
  } catch {
    return undefined;
  }
}
