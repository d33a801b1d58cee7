/**
 * Names of columns that protect, limit or turn off a link, in the files of any service, as `columnName` writes them. A row of
 * which none of our fields can hold such a value fails: no link is imported open or alive that was not.
 */

/** Columns by which a link asks for a password, or is a secret: a flag, a moment, or the password itself. */
export const passwordNames = [
  'password',
  'haspassword',
  'passwordenabledat',
  'passwordprotected',
  'ispasswordprotected',
  'passwordhash',
  'secretkey',
] as const;

/** Columns that tell that a link leads nowhere: a flag, a moment, or who turned it off. */
export const offNames = [
  'banned',
  'isbanned',
  'bannedat',
  'bannedbyid',
  'isdisabled',
  'disabled',
  'disabledat',
  'isblocked',
  'blocked',
  'blockedat',
  'issuspended',
  'suspended',
  'suspendedat',
  'isdeleted',
  'deleted',
  'deletedat',
  'istrashed',
  'trashed',
  'ispaused',
  'paused',
  'isinactive',
  'inactive',
] as const;

/** Columns that tell that a link is archived: a flag or a moment. */
export const archivedNames = ['archived', 'isarchived', 'archivedat', 'hidden', 'ishidden'] as const;

/** Columns of the moment before which a link leads nowhere. */
export const startNames = [
  'validsince',
  'meta.validsince',
  'startsat',
  'startat',
  'startdate',
  'validfrom',
  'activefrom',
  'publishat',
] as const;

/** Columns of the visits that a link has had. */
export const clickNames = [
  'clicks',
  'currentclicks',
  'totalclicks',
  'clickcount',
  'visits',
  'visitcount',
  'visitscount',
  'visitssummary.total',
  'hits',
  'engagements',
] as const;

/** Further names of columns that hold plain fields of a link. */
export const plainAliases: Readonly<Record<string, readonly string[]>> = {
  isActive: ['active', 'isenabled', 'enabled', 'published', 'ispublished'],
  expiresAt: [
    'expirein',
    'expireat',
    'expires',
    'expireson',
    'expiry',
    'expiryat',
    'expirydate',
    'expiration',
    'expirationat',
    'expirationdate',
    'expirationtime',
    'expiredate',
    'validuntil',
    'meta.validuntil',
    'validto',
    'enddate',
    'endsat',
    'ttl',
  ],
  expiredUrl: ['expireurl', 'expirationurl', 'expiryurl', 'expiredredirecturl', 'expiredredirect'],
  maxClicks: ['clickslimit', 'clicklimit', 'maxvisits', 'meta.maxvisits', 'visitslimit', 'visitlimit', 'maxhits'],
};

const isOff = /^(?:0|false|f|no|n|off)$/i;

/** Whether a cell of one of these columns says so: any value but an empty one, 0 and the words for no. */
export function isMarked(text: string | undefined): text is string {
  return text !== undefined && !isOff.test(text);
}

const aliveWords = /^(?:active|enabled|live|ok|published|public|1|true|t|yes|20\d|30\d)$/i;
const offWords =
  /^(?:inactive|disabled|deleted|banned|blocked|suspended|paused|expired|trashed|removed|0|false|f|no)$/i;
const archivedWords = /^(?:archived|hidden)$/i;

/** What a column `status` says of a link; undefined: the word is unknown. */
export function readStatus(text: string): 'alive' | 'off' | 'archived' | undefined {
  if (aliveWords.test(text)) return 'alive';
  if (offWords.test(text)) return 'off';
  return archivedWords.test(text) ? 'archived' : undefined;
}

/** Columns that tell by a word whether a link leads on, besides `status`; other words in them, such as states of a country, mean nothing. */
export const stateNames = ['state', 'linkstatus', 'linkstate'] as const;

// Columns that no known export has.
const protecting =
  /passw|pwd|secret|expir|validuntil|(?:click|visit|hit|use|usage)s?limit|^(?:max|limit)(?:click|visit|hit|use|usage|view)|disabl|banned|blocked|suspend|delet|trash|archiv|inactiv|deactivat|passcode|lifetime|onetime|singleuse|whitelist|restrict|malicious|phishing|^limit$|^pin(?:code)?$|^(?:is)?(?:protected|private|locked|removed|revoked|spam)(?:at)?$|^not(?:before|after)$|(?:click|visit)s?cap$|^allowed(?:ip|countr|domain|referr|email|user)/;
// The console names a column so that no format reads it.
const leftOut = /^ignored\d+\(/;

/** Whether a column that no format reads sounds as if it protected or limited its links. */
export function soundsProtecting(name: string): boolean {
  return protecting.test(name) && !leftOut.test(name);
}
