import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowReader, findIgnoredColumns } from '#core/imports/rows/row-reader.ts';

const now = new Date('2026-06-01T00:00:00Z');

/** Why a row of any CSV fails: a link with one column more. */
const problemsOf = (name: string, value: string) =>
  createRowReader('csv', ['slug', 'destination', name], { now })(['a', 'https://example.com/', value]).problems;

const failing = (name: string) => [expect.objectContaining({ path: name })];

/** Names of columns by what fails a row of them, and what does not. */
const kinds = [
  {
    kind: 'that asks for something, is not for all or leads nowhere',
    names:
      'protection,authentication,Contraseña,mot de passe,Kennwort,wachtwoord,senha,gated,staff only,members_only,Nur Mitglieder,membersonly,unlisted,withdrawn,discontinued,isDead,is_private,Privat,privado,Deaktiviert,Gelöscht,geloescht,gesperrt,supprimé,désactivé,eliminado,bloccato,excluído,verwijderd,Entwurf,brouillon,switched off,geschützt,restricted_to,AutodeletedAt',
    fails: ['1', 'ja', 'x', '2020-01-01', 'public'],
    passes: ['', '0', 'no', 'false', 'nein', 'nee', 'não', 'none', 'NULL'],
  },
  {
    kind: 'that has an end or a cap',
    names:
      'Enddatum,Läuft ab,laeuft ab,Gültig bis,Befristet bis,Ablaufdatum,scadenza,fecha de vencimiento,fecha fin,date de fin,valable jusqu’au,data di scadenza,vervaldatum,einddatum,caducidad,ttl_seconds,vigente hasta,visible to,cap,count limit,usage count limit,Klicklimit,max. Klicks,max clics,limite de cliques,Maximale Aufrufe,kliklimiet,one time,once,daily click limit',
    fails: ['5', '2020-01-01', 'soon', 'yes'],
    passes: ['', '0', 'no', 'never', 'unlimited', 'unbegrenzt', 'nunca', 'mai', '∞'],
  },
  {
    kind: 'that says since when a link leads on',
    names:
      'Startdatum,publish_date,publishDate,published_at,liveAt,start,embargo,embargoed at,scheduled_for,Gültig ab,valid from,fecha de inicio,date de publication,data di inizio,publicatiedatum,release date,active since,not before,live_from,meta.validSince,link_start_date',
    fails: ['2099-01-01', '05/06/2099', 'soon', 'never'],
    passes: ['', '0', 'none', '2020-01-01', '1551675967'],
  },
  {
    kind: 'that says whether a link leads on',
    names:
      'Aktiv,is_aktiv,actif,activo,attiva,ativo,actief,approved,approval status,öffentlich,Sichtbar,publié,habilitado,abilitato,access_level,access,privacy,visibility,is_public,listed,estado',
    fails: ['no', 'nein', 'non', '0', 'false', 'private', 'pending', 'on hold', '2099-01-01'],
    passes: ['', 'yes', 'ja', 'oui', 'sí', 'sim', '1', 'true', 'public', 'everyone', 'active', 'aktiv', '2020-01-01'],
  },
  {
    kind: 'that ends or starts something where it holds a date',
    names: 'promo_end,offerEnds,Sale ends on,event start date,campaign_start,from,Aktion bis Ende',
    fails: ['2099-01-01', '05/06/2099'],
    passes: ['', '0', 'newsletter', 'React', 'soon'],
  },
];

describe.each(kinds)('a column $kind', ({ names, fails, passes }) => {
  it.each(names.split(','))('%s', (name) => {
    for (const value of fails) expect([value, problemsOf(name, value)]).toEqual([value, failing(name)]);
    for (const value of passes) expect([value, problemsOf(name, value)]).toEqual([value, []]);
    expect(findIgnoredColumns('csv', ['url', name])).toEqual([]);
  });
});

describe('columns that protect nothing', () => {
  it.each([
    [
      'of files made by hand',
      'id,caption,from_campaign,limitless,limited edition,started by,imported from,release notes,product launch,weekend,today,opens,open rate,country,referrer,owner,author,team,tilde,effect,language,public key,market cap,status code,http_status,crawl status,QR,qr_code,active users,access count,last access,last visit,last click,unique clicks,clicks today,total,updated_at,last seen',
    ],
    [
      'of Bitly',
      'client_id,created_by,launchpad_ids,deeplinks,campaign_ids,qr_code_ids,references,Engagements,Scans,last engaged',
    ],
    [
      'of Dub',
      'trackConversion,tenantId,programId,partnerId,proxy,image,video,rewrite,doIndex,ios,android,geo,publicStats,tagIds,folderId,testVariants,testStartedAt,testCompletedAt,userId,workspaceId,leads,conversions,sales,saleAmount,lastClicked,lastLeadAt,lastConversionAt',
    ],
    [
      'of Short.io',
      'idString,secureShortURL,redirectType,OwnerId,DomainId,FolderId,icon,source,lcpath,iphoneURL,androidURL,splitURL,splitPercent,integrationGA,skipQS,winmobileURL',
    ],
    [
      'of Rebrandly',
      'favourite,https,integrated,forwardParameters,scripts,lastClickDate,lastClickAt,domain.id,domain.ref,domain.sharing.protocol.allowed,creator.id,creator.fullName',
    ],
    [
      'of Shlink',
      'crawlable,hasRedirectRules,visitsSummary.total,visitsSummary.nonBots,visitsSummary.bots,import_source,import_original_short_code,author_api_key_id,title_was_auto_resolved',
    ],
    ['of Kutt, YOURLS and Polr', 'user_id,uuid,visit_count,ip,creator,is_custom,is_api,long_url_hash'],
    [
      'of Pretty Links and TinyURL',
      'nofollow,track_me,param_forwarding,param_struct,redirect_type,sponsored,group_id,link_cpt_id,new_window,google_tracking,uses_count,uniques,category,tiny_url,hits,analytics.enabled,analytics.public',
    ],
  ])('%s are left out, whatever they hold', (_kind, names) => {
    for (const name of names.split(','))
      for (const value of ['x', '1', 'no', '2020-01-01'])
        expect([name, value, problemsOf(name, value)]).toEqual([name, value, []]);
  });
});

it('a name means the same in camel case, with underscores, spaces or dots, and in any case', () => {
  const parts = fc.constantFrom(
    ['click', 'limit'],
    ['staff', 'only'],
    ['is', 'dead'],
    ['access', 'level'],
    ['max', 'klicks'],
  );
  const styles = [
    (words: readonly string[]) => words.join('_'),
    (words: readonly string[]) => words.join(' ').toUpperCase(),
    (words: readonly string[]) => words.join('. '),
    (words: readonly string[]) => words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(''),
    (words: readonly string[]) => words.join(''),
  ];
  fc.assert(
    fc.property(parts, fc.constantFrom(...styles), (words, style) => {
      const name = style(words);
      const { body, problems } = createRowReader('csv', ['destination', name])(['https://example.com/', '7']);
      expect(problems.length === 1 || body.maxClicks === 7).toBe(true);
    }),
  );
});
