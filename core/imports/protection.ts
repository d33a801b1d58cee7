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
  'ban',
  'isban',
  'takendown',
  'takendownat',
  'isclosed',
  'closed',
  'isfrozen',
  'frozen',
  'isstopped',
  'stopped',
  'isdraft',
  'draft',
  'unpublished',
  'isoffline',
  'offline',
  'blacklisted',
  'isblacklisted',
] as const;

/** Columns that tell whether all visitors may follow a link. */
export const publicNames = ['public', 'ispublic', 'visible', 'isvisible', 'visibility'] as const;

/** Columns that tell that a link is archived: a flag or a moment. */
export const archivedNames = ['archived', 'isarchived', 'archivedat', 'hidden', 'ishidden'] as const;

/** Columns of the moment before which a link leads nowhere. */
export const startNames = [
  'validsince',
  'meta.validsince',
  'startsat',
  'startat',
  'startdate',
  'linkstartdate',
  'talinkstartdate',
  'validfrom',
  'activefrom',
  'publishat',
  'activationdate',
  'activateat',
  'goliveat',
  'golivedate',
  'golive',
  'startson',
  'starts',
  'starttime',
  'begins',
  'beginat',
  'beginsat',
  'begindate',
  'availablefrom',
  'effectivefrom',
  'livefrom',
  'livesince',
  'scheduledat',
  'scheduledfor',
  'activatesat',
  'activationat',
  'launchat',
  'launchdate',
  'releaseat',
  'releasedate',
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
  isActive: [
    'active',
    'isenabled',
    'enabled',
    'isenable',
    'enable',
    'published',
    'ispublished',
    'live',
    'islive',
    'online',
    'isonline',
    'activated',
    'isactivated',
    'linkactive',
    'linkenabled',
    'isvalid',
    'valid',
  ],
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
    'endson',
    'ends',
    'end',
    'until',
    'dateexpires',
    'expireatdatetime',
    'ttl',
    'endat',
    'endtime',
    'dateend',
    'stopat',
    'stopsat',
    'stopdate',
    'closeat',
    'closesat',
    'closedat',
    'validtill',
    'validthrough',
    'activeuntil',
    'activeto',
    'availableuntil',
    'availableto',
    'effectiveuntil',
    'effectiveto',
    'liveuntil',
    'unpublishat',
    'unpublishedat',
    'sunsetat',
    'sunsetdate',
    'expdate',
    'deadline',
    'linkexpiredate',
    'talinkexpiredate',
    'expirydatetime',
  ],
  expiredUrl: [
    'expireurl',
    'expirationurl',
    'expiryurl',
    'expiredredirecturl',
    'expiredredirect',
    'taafterexpireredirect',
  ],
  maxClicks: [
    'clickslimit',
    'clicklimit',
    'maxvisits',
    'meta.maxvisits',
    'visitslimit',
    'visitlimit',
    'maxhits',
    'maxuses',
    'expireatviews',
    'maxviews',
    'viewlimit',
    'viewslimit',
    'maxscans',
    'scanlimit',
    'scanslimit',
    'clicksmax',
    'visitsmax',
    'clicksallowed',
    'allowedclicks',
    'expireclicks',
    'expiryclicks',
  ],
};

const isOff = /^(?:0|false|f|no|n|off|nein|non|never|none|[✗✘])$/i;

/** Whether a cell of one of these columns says so: any value but an empty one, 0 and the words for no. */
export function isMarked(text: string | undefined): text is string {
  return text !== undefined && !isOff.test(text);
}

/** What exports write where a date is not known. */
export const noDate = /^none$/i;
/** What exports write where a link has no end or no cap. */
export const unlimited =
  /^(?:none|no|false|never|nie|unlimited|unbegrenzt|forever|permanent|lifetime|ongoing|∞|no (?:end|expiry|expiration|limit)|does not expire|never expires)$/i;

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
export const statusNames = ['status', 'linkstatus', 'linkstate', 'poststatus'] as const;
/** A column that may do so too; other words in it, such as states of a country, mean nothing. */
export const stateName = 'state';

// Columns that no known export has, by what their names say.
const uses = '(?:click|visit|visitor|hit|use|usage|view|scan|redirect)';
const bound = '(?:max|maximum|limit|limited|cap|quota|budget|allowed|left|remaining)';
const protecting = new RegExp(
  [
    // Passwords, secrets, and who may come in.
    'passw|passphrase|passcode|pwd|secret|accesscode|kennwort|^(?:has|link)?pass(?:key)?$|^pw$|^(?:is|has)?pin(?:code)?$|^lockcode$',
    '^(?:is)?(?:protected|private|locked|lock|encrypted|removed|revoked|spam|flagged|quarantined|unsafe|malware)(?:at)?$',
    'whitelist|allowlist|blacklist|blocklist|denylist|restrict|captcha|^(?:geo|country)block|^membersonly$|^agegate$|^minage$',
    '^allowed(?:ip|countr|domain|referr|email|user)|^(?:needs?|requires?)(?:auth|login|signin|sso)|^(?:auth|login|signin|sso)(?:required|only)?$',
    // Ends and starts.
    'expir|(?:valid|active|available|live|good|effective|online)(?:until|till?|to|thru|through)$|^(?:un)?till?$|^exp(?:at|date|ts)?$|^validity|lifetime',
    '^(?:end|stop|close|unpublish|retire|sunset|due|schedule)(?:s|d|ed|ing)?(?:at|on|date|time|datetime|ts|timestamp)?$|^not(?:before|after)$',
    'starts?(?:at|on|date|time|datetime|ts|timestamp)$|(?:valid|active|available|live|visible|online)(?:from|since|after)$',
    '^(?:time|day|date)limit$|g(?:ü|ue)ltigbis|ablauf|destruct|^burn',
    // Caps.
    `remaining|^limit$|^quota$|${uses}e?s?${bound}|^${bound}${uses}|onetime|singleuse|^(?:unique|firstclick|first)only$`,
    // Links that lead nowhere.
    'disabl|banned|blocked|suspend|delet|trash|archiv|inactiv|deactiv|frozen|halted|cancell?ed|takedown|gesperrt|malicious|phishing',
    '^(?:is)?(?:off|del|paus(?:e|ed))(?:flag)?$|^(?:turned|switched)off$',
  ].join('|'),
);
const countsDown = /remaining|left$/;
// The console names a column so that no format reads it.
const leftOut = /^ignored\d+\(/;

/** Whether a column that no format reads sounds as if it protected or limited its links. */
export function soundsProtecting(name: string): boolean {
  return protecting.test(name) && !leftOut.test(name);
}

/** Whether a cell of a column that sounds so says that its link is protected or limited: of what is left, 0 does too. */
export function saysProtecting(name: string, text: string | undefined): boolean {
  return isMarked(text) || (text === '0' && countsDown.test(name));
}
