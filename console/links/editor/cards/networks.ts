/** A network that shows links as cards. */
export interface Network {
  id: string;
  name: string;
  shape: 'over' | 'under' | 'beside' | 'barred';
  /** Characters of which the rest is cut. Networks change these, and cut by width: they are about right. */
  longestTitle: number;
  /** 0: it shows no description. */
  longestDescription: number;
}

/** Networks in the order in which cards are shown. */
export const networks: readonly Network[] = [
  { id: 'facebook', name: 'Facebook', shape: 'under', longestTitle: 88, longestDescription: 110 },
  { id: 'x', name: 'X', shape: 'over', longestTitle: 70, longestDescription: 0 },
  { id: 'linkedin', name: 'LinkedIn', shape: 'under', longestTitle: 119, longestDescription: 0 },
  { id: 'whatsapp', name: 'WhatsApp', shape: 'beside', longestTitle: 65, longestDescription: 80 },
  { id: 'slack', name: 'Slack', shape: 'barred', longestTitle: 150, longestDescription: 700 },
  { id: 'telegram', name: 'Telegram', shape: 'barred', longestTitle: 128, longestDescription: 170 },
];

/** A text as a network shows it. */
export function cut(text: string, longest: number): string {
  const letters = Array.from(text);
  return letters.length <= longest ? text : `${letters.slice(0, longest).join('').trimEnd()}…`;
}

/** Names of networks that cut a text. */
export function cutters(text: string, bound: 'longestTitle' | 'longestDescription'): string[] {
  const { length } = Array.from(text);
  return networks.filter((network) => network[bound] > 0 && length > network[bound]).map(({ name }) => name);
}
