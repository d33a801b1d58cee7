// Lines on a ground of 24 × 24, drawn for the console.
const paths = {
  add: 'M12 5v14M5 12h14',
  archive: 'M4 8h16v11H4zM3 4h18v4H3zM10 12h4',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  arrowUp: 'M12 19V5M6 11l6-6 6 6',
  back: 'M15 5l-7 7 7 7',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  chart: 'M5 20V11M12 20V4M19 20v-6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevronDown: 'M6 9l6 6 6-6',
  chevronRight: 'M9 6l6 6-6 6',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  duplicate: 'M8 8h12v12H8zM16 8V4H4v12h4M14 11v6M11 14h6',
  edit: 'M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  folder: 'M3 6h6l2 2.5h10V19H3z',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c2.5 2.5 3.800 5.600 3.800 9s-1.300 6.5-3.800 9c-2.5-2.5-3.800-5.600-3.800-9S9.5 5.5 12 3',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5c.3-1.5 1.300-2.300 2.600-2.300 1.5 0 2.5.9 2.5 2.200 0 1.900-2.5 2-2.5 4M12 16.800v.2',
  history: 'M4 12a8 8 0 1 0 2.5-5.800L4 8.5M4 4v4.5h4.5M12 8v4.5l3 2',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9.5v.1',
  import: 'M12 15V4M7 8.5l5-5 5 5M5 14v6h14v-6',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.5v.2',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12.5L20 4M16 8l3 3',
  link: 'M10 14l4-4M9 8l2.5-2.5a4.200 4.200 0 0 1 6 6L15 14M15 16l-2.5 2.5a4.200 4.200 0 0 1-6-6L9 10',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.1M4 12h.1M4 18h.1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  mobile: 'M7 3h10v18H7zM11 18h2',
  minus: 'M6 12h12',
  more: 'M6 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M18 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2',
  move: 'M3 7h6l2 2.5h10V19H3zM9 14h6M13 12l2 2-2 2',
  people:
    'M9 5a3 3 0 1 0 0 6.5A3 3 0 0 0 9 5M3 19c.5-3.5 2.700-5 6-5s5.5 1.5 6 5M16 6a3 3 0 0 1 0 5.5M17.5 14.5c2 .6 3.200 2 3.5 4.5',
  play: 'M7 5l12 7-12 7z',
  power: 'M12 4v8M7.5 6.5a7.5 7.5 0 1 0 9 0',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 14h2M14 18h2v2M18 18h2v2h-2z',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2-5.200L20 9M20 4v5h-5',
  route: 'M6 4v6c0 3 2 4 6 4s6 1 6 4v2M3.5 7L6 4l2.5 3M15.5 17.5L18 20l2.5-2.5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h3',
  shield: 'M12 3l7.5 3v5.5c0 4.5-3 7.700-7.5 9.5-4.5-1.800-7.5-5-7.5-9.5V6z',
  signOut: 'M10 4H4v16h6M14 8l4 4-4 4M18 12H9',
  tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8 8.200v.1',
  template: 'M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z',
  trash: 'M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5',
  undo: 'M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11H9',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17v.2',
  webhook:
    'M8 17a3.5 3.5 0 1 1-2.5-6M11.5 7.5A3.5 3.5 0 1 1 17 10M16 17.5a3.5 3.5 0 1 0-1-4.5M8 17h8M6.5 13.5L11 6M15 8l3.5 6',
} as const;

export type IconName = keyof typeof paths;

/** A picture that stands beside a word or in a labelled control; screen readers skip it. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
