import { splitWords } from '#core/lib/text/split-words.ts';

/**
 * Names of columns that protect, limit or turn off a link, in the files of any service, as `columnName` writes them. A row of
 * which none of our fields can hold such a value fails: no link is imported open or alive that was not.
 */

/** Columns by which a link asks for a password, or is a secret: a flag, a moment, or the password itself. */
export const passwordNames = splitWords(`
  password haspassword passwordenabledat passwordprotected ispasswordprotected passwordhash secretkey
`);

/** Columns that tell that a link leads nowhere: a flag, a moment, or who turned it off. */
export const offNames = splitWords(`
  banned isbanned bannedat bannedbyid isdisabled disabled disabledat isblocked blocked blockedat issuspended
  suspended suspendedat isdeleted deleted deletedat istrashed trashed ispaused paused isinactive inactive ban
  isban takendown takendownat isclosed closed isfrozen frozen isstopped stopped isdraft draft unpublished
  isoffline offline blacklisted isblacklisted
`);

/** Columns that tell that a link is archived: a flag or a moment. */
export const archivedNames = ['archived', 'isarchived', 'archivedat', 'hidden', 'ishidden'] as const;

/** Columns of all visits that a link has had; those of unique visitors are fewer. */
export const clickNames = splitWords(`
  clicks currentclicks totalclicks clickcount visits visitcount visitscount visitssummary.total visitstotal
  totalvisits clickscount clickstotal hits hitcount hitscount totalhits uses usecount usescount usagecount
  timesused views viewcount viewscount totalviews scans scancount scanscount totalscans redirects redirectcount
  redirectscount engagements klicks aufrufe clics visitas
`);

/** Further names of columns that hold plain fields of a link. */
export const plainAliases: Readonly<Record<string, readonly string[]>> = {
  isActive: splitWords(`
    active isenabled enabled isenable enable published ispublished live islive online isonline activated
    isactivated linkactive linkenabled isvalid valid
  `),
  expiresAt: splitWords(`
    expirein expireat expires expireson expiry expiryat expirydate expiration expirationat expirationdate
    expirationtime expiredate validuntil meta.validuntil validto enddate endsat endson ends end until
    dateexpires expireatdatetime ttl endat endtime dateend stopat stopsat stopdate closeat closesat closedat
    validtill validthrough activeuntil activeto availableuntil availableto effectiveuntil effectiveto liveuntil
    unpublishat unpublishedat sunsetat sunsetdate expdate deadline linkexpiredate talinkexpiredate
    expirydatetime
  `),
  expiredUrl: splitWords(`
    expireurl expirationurl expiryurl expiredredirecturl expiredredirect taafterexpireredirect
  `),
  maxClicks: splitWords(`
    clickslimit clicklimit maxvisits meta.maxvisits visitslimit visitlimit maxhits maxuses expireatviews
    maxviews viewlimit viewslimit maxscans scanlimit scanslimit clicksmax visitsmax clicksallowed allowedclicks
    expireclicks expiryclicks
  `),
};

/** Words for yes and no, in the languages of the columns below. */
export const yesWords = /^(?:1|true|t|yes|y|on|ja|oui|vrai|s[ií]|verdadero|vero|sim|verdadeiro|wahr|waar|[✓✔])$/i;
export const noWords = /^(?:0|false|f|no|n|off|nein|falsch|non|faux|falso|n[ãa]o|nee|onwaar|[✗✘])$/i;
const nothing = /^(?:never|none)$/i;

/** Whether a cell of one of these columns says so: any value but an empty one, 0 and the words for no. */
export function isMarked(text: string | undefined): text is string {
  return text !== undefined && !noWords.test(text) && !nothing.test(text);
}

/** What exports write where a date is not known. */
export const noDate = /^none$/i;
/** What exports write where a link has no end or no cap. */
export const unlimited =
  /^(?:none|no|false|never|nie|unlimited|unbegrenzt|unbefristet|jamais|illimité|nunca|ilimitad[oa]|mai|illimitat[oa]|nooit|onbeperkt|forever|permanent|lifetime|ongoing|∞|no (?:end|expiry|expiration|limit)|does not expire|never expires)$/i;

const aliveWords = /^(?:active|enabled|live|ok|publish|published|public|1|true|t|yes|20\d|30\d)$/i;
const offWords =
  /^(?:inactive|disabled|deleted|banned|blocked|suspended|paused|expired|trash|trashed|draft|unpublished|removed|0|false|f|no)$/i;
const archivedWords = /^(?:archived|hidden)$/i;

/** What a column of `statusNames` says of a link; undefined: the word is unknown. */
export function readStatus(text: string): 'alive' | 'off' | 'archived' | undefined {
  if (aliveWords.test(text)) return 'alive';
  if (offWords.test(text)) return 'off';
  return archivedWords.test(text) ? 'archived' : undefined;
}

/** Columns that tell by a word whether a link leads on. */
export const statusNames = ['status', 'state', 'linkstatus', 'linkstate', 'poststatus'] as const;
