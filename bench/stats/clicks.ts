/** How many clicks of which kind. */
export interface Size {
  clicks: number;
  /** Clicks of the first organization. */
  largest: number;
  /** Clicks of the first link of the second organization. */
  hottest: number;
}

/** Organizations; a few of them have most of the clicks. */
export const organizations = 1_000;
/** Links of each organization. */
export const linksEach = 200;
/** The tag that about half of an organization's clicks have. */
export const tagId = benchId(5, 0, 0);

/** Ids that contain the number of their organization. */
export const ids = {
  organization: (organization: number): string => benchId(1, organization, 0),
  folder: (organization: number): string => benchId(2, organization, 0),
  domain: (organization: number): string => benchId(3, organization, 0),
  link: (organization: number, link: number): string => benchId(4, organization, link),
};

/** Which link a click is of. */
interface Pick {
  organization: number;
  link: number;
}

/** Generates clicks, the same ones each time. */
interface ClickSource {
  /** Chooses a link, by chance. */
  pick(): Pick;
  /** A click of it as a line of a journal. @param timeMs Unix time in milliseconds. */
  line(pick: Pick, timeMs: number): string;
}

const skew = 1.5;
const taggedLinks = 24;
const visitorsPerClick = 0.7;
const nothing = String.raw`\N`;

/** Starts at the first click. */
export function createClickSource({ clicks, largest, hottest }: Size): ClickSource {
  const random = createRandom(1);
  const links: { id: string; tail: string }[] = [];
  const [largestShare, hottestShare] = [largest / clicks, (largest + hottest) / clicks];
  const others = (clicks - largest - hottest) / (organizations - 2);
  let made = 0;

  const linkOf = ({ organization, link }: Pick): { id: string; tail: string } =>
    (links[organization * linksEach + link] ??= {
      id: ids.link(organization, link),
      tail: [
        ids.organization(organization),
        ids.domain(organization),
        ids.folder(organization),
        link < taggedLinks ? `{${tagId}}` : '{}',
        `https://shop${organization}.example/products/${link}?variant=`,
      ].join('\t'),
    });

  return {
    pick() {
      const share = random();
      if (share >= largestShare && share < hottestShare) return { organization: 1, link: 0 };
      const organization = share < largestShare ? 0 : 2 + Math.floor((organizations - 2) * random() ** skew);
      return { organization, link: Math.floor(linksEach * random() ** 3) };
    },
    line(pick, timeMs) {
      const { organization } = pick;
      const { id, tail } = linkOf(pick);
      const visitors = visitorsPerClick * (organization === 0 ? largest : organization === 1 ? hottest : others);
      made += 1;
      return (
        `${hex(made, 8)}-0000-7000-8000-${hex(Math.floor(random() * 2 ** 32), 12)}\t${new Date(timeMs).toISOString()}\t` +
        `${id}\t${visitorOf(organization, Math.floor(random() * visitors))}\t${oneOf(places, random() ** 3)}\t` +
        `${oneOf(languages, random() ** 2)}\t${oneOf(agents, random() ** 2)}\t${oneOf(referers, random())}\t` +
        `${oneOf(campaigns, random())}\t${tail}${Math.floor(random() * 3)}\n`
      );
    },
  };
}

const countries = 'US IN DE BR GB FR ID JP ES IT MX PL NL TR CA AU SE CH AT BE'.split(' ');
const continents = 'NA AS EU SA OC AF'.split(' ');
const languages = 'en de fr es pt hi ja pl'.split(' ');
const places = Array.from({ length: 3_000 }, (_, city) =>
  [oneIn(countries, city), `Region ${city % 300}`, `City ${city}`, oneIn(continents, city)].join('\t'),
);
const agents = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', 'Opera'].flatMap((browser) =>
  ['Android', 'iOS', 'Windows', 'macOS', 'Linux'].map((os) =>
    [os === 'Android' || os === 'iOS' ? 'mobile' : 'desktop', browser, os].join('\t'),
  ),
);
const referers = Array.from({ length: 300 }, (_, site) => (site < 180 ? `site${site % 120}.example` : nothing));
/** Whether it is a QR code, and the five parts of a campaign. */
const campaigns = Array.from({ length: 300 }, (_, number) => {
  const utm = [`source ${number % 5}`, `medium ${number % 3}`, `campaign ${number % 30}`, nothing, nothing];
  return [number % 10 === 0 ? 't' : 'f', ...(number < 120 ? utm : utm.map(() => nothing))].join('\t');
});

function benchId(kind: number, owner: number, item: number): string {
  return `${hex(kind, 8)}-0000-0000-${hex(owner, 4)}-${hex(item, 12)}`;
}

function visitorOf(organization: number, visitor: number): string {
  const own = Math.imul(visitor + 1, 0x9e3779b1) ^ Math.imul(organization + 1, 0x85ebca6b);
  const parts = [1, 2, 3, 4].map((part) => hex(scatter(own + Math.imul(part, 0x6d2b79f5)), 8));
  // The backslash is doubled, as COPY takes it.
  return String.raw`\\x` + parts.join('');
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

function oneOf(values: readonly string[], share: number): string {
  return values[Math.floor(values.length * share)]!;
}

function oneIn(values: readonly string[], number: number): string {
  return values[number % values.length]!;
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return scatter(state) / 2 ** 32;
  };
}

/** Maps 32 bits to others that look random, each to another one: the last step of MurmurHash3. */
function scatter(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
