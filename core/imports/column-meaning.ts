import { isMarked, noWords, readStatus, unlimited, yesWords } from './protection.ts';

// The words below are in English, German, French, Spanish, Italian, Portuguese and Dutch, without accents; `ae?` is ä or ae.

// Parts of names that are never harmless. Passwords, secrets, who may come in, and links that lead nowhere:
const protecting = new RegExp(
  [
    'passw|passphrase|passcode|pwd|secret|access(?:code|key)|kennwort|zugangscode|motpasse|contrasen|wachtwoord|palavrapasse|protect|authenti',
    'geschue?tzt|protegid|protett|beveilig|whitelist|allowlist|blacklist|blocklist|denylist|captcha|(?:geo|country)block',
    'restrict|eingeschrae?nkt|beschrae?nk|restreint|restring|ristrett|beperk|allowed(?:ip|countr|domain|referr|email|user)',
    'disabl|banned|blocked|suspend|delet|trash|archiv|inacti[vf]|deactiv|frozen|halted|cancell?ed|takedown|malicious|phishing',
    'withdraw|discontinu|unlisted|deaktiv|gesperrt|geloe?scht|abgeschaltet|ausgeschaltet|blockiert|pausiert|desacti[vf]|supprim',
    'bloquee|eliminad|borrad|bloquead|suspendid|disattiv|eliminat|bloccat|sospes|desativ|excluid|apagad|uitgeschakeld',
    'gedeactiv|verwijderd|geblokkeerd|destruct',
  ].join('|'),
);
// Ends and caps:
const limiting = new RegExp(
  [
    'expir|lifetime|validity|ablauf|abgelaufen|verfall|lae?uftab|echeance|caduc|vencim|scadenz|scadut|vervaldat|vervalt|verlo(?:pen|opt)',
    'remaining|ue?brige|restante?s|resterend|rimanent|(?:click|visit|visitor|hit|use|usage|view|scan|redirect)e?s?(?:allowed|left)',
    '(?:allowed|left)(?:click|visit|hit|use|usage|view|scan|redirect)',
  ].join('|'),
);

/** What a word means in the name of a column of which all words are known. */
type WordMeaning = 'protected' | 'cap' | 'end' | 'to' | 'start' | 'from' | 'open' | 'use' | 'time' | 'filler';

const words: Record<WordMeaning, string> = {
  // A link that asks for something, is not for all, or leads nowhere.
  protected: `pass passkey pw pin pincode mdp senha lock locked lockcode auth authorization login signin sso only nur seulement solo
    alleen apenas private privat prive privado privada privato privata internal intern interne interno gated gate confidential vertraulich
    geheim encrypted removed revoked spam flagged quarantined unsafe malware off del pause paused stopped dead killed retired rejected denied
    unpublished ended finished invalid beendet geschlossen versteckt entwurf draft drafts brouillon bozza rascunho oculto nascosto verborgen
    inativo inativa burn minage agegate agelimit`,
  cap: `cap caps limit limits limited quota budget max maximum maximal maximale limite limiet plafond kontingent hoechstzahl hochstzahl
    massimo maximo onetime oneoff once single einmalig`,
  // A moment after which a link leads nowhere.
  end: `end ends ending until untill till til stop stops close closes closed closing unpublish unpublishes retire retires
    sunset due deadline notafter exp expdate ttl timetolive maxage ende endet befristet hasta finaliza scade vence einde eind`,
  // So too beside a word for a moment or for `open`.
  to: 'to thru through bis fin jusque jusqu jusqua fine fim ate tot',
  // A moment before which a link leads nowhere.
  start: `start starts started starting begin begins began beginning publish publishes published publishing embargo
    embargoed golive schedule scheduled schedules activation activates notbefore beginn beginnt startet freischaltung debut
    inicio comienzo inizio ingang`,
  // So too beside a word for a moment or for `open`.
  from: `from since after ab seit von launch launches release releases depuis desde dal vanaf
    publication publicacion pubblicazione publicacao publicatie veroffentlichung veroeffentlichung`,
  // A link leads on where such a column says so.
  open: `active actively activate activated enable enabled live online valid public visible visibility approved approval access accessible
    available availability effective privacy audience permission permissions listed open allowed publicationstatus
    aktiv aktiviert oeffentlich offentlich sichtbar sichtbarkeit freigegeben freigeschaltet veroeffentlicht veroffentlicht eingeschaltet
    gueltig gultig verfuegbar verfugbar genehmigt zustand actif publie publique approuve valide valable disponible enligne etat statut
    activo activa activado habilitado publicado publico aprobado valido vigente estado attivo attiva attivato abilitato pubblicato pubblico
    visibile approvato stato ativo ativa ativado visivel aprovado actief ingeschakeld gepubliceerd openbaar zichtbaar goedgekeurd geldig`,
  // What is counted: such a column alone says nothing.
  use: `click clicks visit visits visitor visitors hit hits use uses usage view views scan scans redirect redirects count counts counter
    total number num of per daily members member staff team employees employee users user guests guest admins admin subscribers
    mitglieder mitarbeiter membres miembros membri membros leden klick klicks besuch besuche besucher aufruf aufrufe anzahl zahl clic clics vue vues visite visites nombre
    visita visitas numero clique cliques klik kliks klikken bezoek bezoeken aantal`,
  time: `at on date dates time datetime timestamp ts utc hour hours minute minutes second seconds datum tag zeit zeitpunkt uhrzeit
    heure fecha hora data ora dia tijd`,
  filler: `is has was are be link talink meta the for flag status state type level mode needs need requires require required turned switched
    day days first unique good word code lien enlace ist est esta`,
};
const meanings = new Map(
  (Object.keys(words) as WordMeaning[]).flatMap((meaning) =>
    words[meaning].split(/\s+/).map((word) => [word, meaning] as const),
  ),
);
// The longest first: "ends" is not "end" with a rest.
const knownWords = new RegExp([...meanings.keys()].toSorted((one, other) => other.length - one.length).join('|'), 'g');

/**
 * What a column that no format reads says of a link: `protected`, that it is not for all or leads nowhere; `limited`, that it has an
 * end or a cap; `open`, that it leads on; `start`, since when. `dated-end` and `dated-start` do so where they hold a moment: `promo_end`, but not `front_end`.
 */
export type ColumnMeaning = 'protected' | 'limited' | 'open' | 'start' | 'dated-end' | 'dated-start';

/** A column that no format reads, and that has a meaning. */
export interface ProtectingColumn {
  /** Its name in the file. */
  column: string;
  meaning: ColumnMeaning;
}

const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
const articles = /\b(?:de|di|do|da|au)\b/g;
// The console names a column so that no format reads it.
const leftOut = /^ignored \d+ \(/;

/** Splits parts of a name into known words: "enddatum" is "end" and "datum"; undefined: another word is in them. */
function splitKnown(parts: readonly string[]): string[] | undefined {
  const known = parts.flatMap((part) => part.match(knownWords) ?? []);
  return known.join('') === parts.join('') ? known : undefined;
}

/** What the name of a column means, in any case, with or without separators; undefined: nothing that protects a link. */
export function readColumnMeaning(column: string): ColumnMeaning | undefined {
  if (leftOut.test(column)) return undefined;
  const parts = fold(column)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(articles, ' ')
    .split(/[^\p{L}\p{N}]+/u);
  const name = parts.join('');
  if (protecting.test(name)) return 'protected';
  if (limiting.test(name)) return 'limited';
  const known = splitKnown(parts) ?? splitKnown([name]);
  if (known !== undefined) {
    const has = new Set(known.map((word) => meanings.get(word)));
    const isDated = has.has('time') || has.has('open');
    if (has.has('protected')) return 'protected';
    if (has.has('cap') || has.has('end') || (has.has('to') && isDated)) return 'limited';
    if (has.has('use')) return undefined;
    if (has.has('start') || (isDated && has.has('from')) || (has.has('open') && has.has('time'))) return 'start';
    if (has.has('open')) return 'open';
  }
  const of = new Set(parts.map((part) => meanings.get(part)));
  if (of.has('end')) return 'dated-end';
  return of.has('start') || of.has('from') ? 'dated-start' : undefined;
}

const forAll =
  /^(?:public|visible|everyone|everybody|anyone|anybody|all|open|unrestricted|alle|tous|todos|tutti|iedereen)$/i;
const isPlan = /schedul|embargo/i;

function saysOpen(text: string): boolean {
  const isYes = yesWords.test(text) || forAll.test(text) || readStatus(text) === 'alive';
  return isYes || meanings.get(fold(text).toLowerCase()) === 'open';
}

/**
 * Whether a cell of a column with a meaning says that its link is protected, limited or not yet there.
 * @param at the moment in the cell; undefined: it cannot be read; null: the cell holds none.
 */
export function saysProtecting(
  { column, meaning }: ProtectingColumn,
  text: string,
  at: Date | 'ambiguous' | undefined | null,
  now: Date,
): boolean {
  const isLater = at === 'ambiguous' || (at instanceof Date && at > now);
  switch (meaning) {
    case 'protected':
      return isMarked(text);
    case 'limited':
      // Of what is left, 0 limits too.
      return text === '0' ? /remaining|left$/i.test(column) : isMarked(text) && !unlimited.test(text);
    case 'open':
      return isLater || !(at instanceof Date || saysOpen(text));
    case 'start':
      return isLater || (at === undefined && !(isPlan.test(column) && noWords.test(text)));
    case 'dated-end':
      return at instanceof Date || at === 'ambiguous';
    case 'dated-start':
      return isLater;
  }
}
