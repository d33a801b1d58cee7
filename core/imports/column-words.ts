import { splitWords } from '#core/lib/text/split-words.ts';

/**
 * Words in the names of columns that protect, limit or turn off a link, by meaning and language, as `foldName` writes them: lower
 * case without accents. `ae?` is ä or ae.
 */

type ByLanguage = Record<'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl', string>;

/** Parts of names that are never harmless: passwords, secrets, who may come in, and links that lead nowhere. */
const protecting: ByLanguage = {
  en: `passw passphrase passcode pwd secret access(?:code|key) protect authenti authori[sz](?:ed|ation) whitelist allowlist blacklist
    blocklist denylist captcha paywall credential (?:geo|country|ip)block restrict permitted
    allowed(?:ip|countr|domain|referr|email|user|visitor|people|audience)
    (?:countr(?:y|ies)|ips?|domains?|referr?ers?|emails?|audiences?|people)allowed disabl banned blocked suspend delet trash archiv(?!o)
    inacti[vf] deactiv frozen halted cancell?ed takedown malicious phishing withdraw discontinu unlisted destruct snooz killswitch
    quarantin dormant revok unavailab deprecat decommission exhausted suppress depublish (?:security|unlock|verification)code`,
  de: `kennwort losungswort zugangs(?:code|daten|schlue?ssel|wort) zugriffs(?:code|schlue?ssel|schutz) freigabecode geschue?tzt eingeschrae?nk
    beschrae?nk deaktiv inakti[vf] sperr geloe?scht loe?sch(?:en|ung|datum|frist|vermerk) abgeschalt abschalt ausgeschalt ausschalt blockiert
    pausier stillgeleg ausgesetzt angehalten eingefroren versteckt verborgen zurue?ckgezogen papierkorb vertraulich geheim annull
    storniert gekue?ndigt entfernt widerruf ungue?ltig unsichtbar nichtoe?ffentlich erlaubte zugelassen altersfreigabe jugendschutz
    verschlue?ssel aufgebraucht sicherheitscode ausserbetrieb erscho?e?pft`,
  fr: `mot(?:de)?passe phrase(?:de)?passe coded?acces cled?acces protege restreint desacti[vf] supprim bloquee bloques verrouill
    confidenti suspens[oai] enpause annule horsligne masquee corbeille interdit indisponi depublie inaccessible autorise
    autorisation epuise`,
  es: `contrasen (?:clave|codigo)(?:de)?acceso palabra(?:de)?paso protegid restring deshabilit inhabilit eliminad borrad bloquead
    bloqueo pausad cancelad anulad ocultad retirad congelad detenid prohibid archivad papelera confidencial reservad denegad
    rechazad desconectad autoriza permitid agotad banead fuera(?:de)?linea`,
  it: `parola(?:d|di)?(?:ordine|accesso|chiave) codice(?:d|di)?accesso protett ristrett disattiv disabilit inattiv eliminat
    bloccat sospes cancellat annullat rimoss nascost riservat congelat revocat cestin ritirat vietat segret consentiti autorizza confidenzial esaurit restrizion`,
  pt: `palavra(?:de|s)?passe (?:codigo|chave)(?:de)?acesso restrit desativ desabilit inabilit inativ excluid apagad arquivad arquivamento
    removid lixeira revogad encriptad proibid esgotad banid restric fora(?:do)?ar`,
  nl: `wachtwoord wachtzin toegangs(?:code|sleutel|woord) beveilig beperk bescherm uitgeschakeld uitgezet gedeactiv verwijder blokk(?:e|ade)
    opgeschort geschorst gepauzeer inactie verborgen vergrendel versleuteld prullenbak vertrouwelijk ingetrokken stopgezet besloten
    onzichtbaar onbeschikbaar geweigerd afgekeurd beeindig gestopt bevroren toegestane`,
};

/** What is left of a cap: 0 limits too. */
const remaining: ByLanguage = {
  en: `remaining (?:click|visit|visitor|hit|use|usage|view|scan|redirect|open|redemption)e?s?(?:left|available) (?:day|hour|time)s?left
    (?:left|leftover|available)(?:click|visit|hit|use|usage|view|scan|redirect|open|redemption)`,
  de: 'verbleib ue?brig restlich rest(?:klick|aufruf|besuch|zugriff|nutzung|scan|kontingent|budget|tage) verfue?gbare(?:klick|aufruf|besuch)',
  fr: 'restant (?:clics|vues|visites)disponibles',
  es: 'restante?s quedan (?:clics|visitas|usos)disponibles',
  it: 'rimanent rimast residui (?:clic|visite)disponibili',
  pt: 'sobrando (?:cliques|visitas|usos)disponiveis',
  nl: 'resterend resteren restklik beschikbareklik',
};

/** Parts of names of ends and caps. */
const limiting: ByLanguage = {
  en: `expir lifetime lifespan timetolive validity (?:click|visit|visitor|hit|use|usage|view|scan|redirect)e?s?allowed
    allowed(?:click|visit|hit|use|usage|view|scan|redirect)`,
  de: 'ablauf abgelaufen verfall lae?uftab laufzeit auslauf ausgelaufen lae?uftaus gue?ltigkeit haltbar obergrenze klickgrenze',
  fr: 'echeance validite peremption',
  es: 'caduc vencim vencid validez vidautil',
  it: 'scadenz scadut validita',
  pt: 'validade encerra',
  nl: 'vervaldat vervalt verlo(?:pen|op) afloop geldigheid houdbaar looptijd',
};

/** What a word means in the name of a column of which all words are known. */
export type WordMeaning =
  | 'protected'
  | 'cap'
  | 'end'
  | 'last'
  | 'to'
  | 'start'
  | 'from'
  | 'open'
  | 'not'
  | 'use'
  | 'time'
  | 'filler';

const wordsByMeaning: Record<WordMeaning, ByLanguage> = {
  // A link that asks for something, is not for all, or leads nowhere.
  protected: {
    en: `pass passkey pw unlock muted pin pincode lock locked lockcode otp totp 2fa mfa twofactor auth authorization login signin sso only private
      internal gated gate confidential encrypted removed revoked reserved spam flagged quarantined unsafe malware off offline del pause
      paused onpause hold onhold held stopped dead killed retired rejected denied unpublished ended finished invalid void voided draft
      drafts hide hides invisible burn minage agegate agelimit`,
    de: `nur ruhend anmeldung privat private intern interne privates beendet geschlossen entwurf entwurfe entwuerfe mindestalter`,
    fr: `mdp connexion gele gelee seulement uniquement prive privee prives interne brouillon masque bloque reserve reserves invisible inactif pause`,
    es: `clave privado privada solo solamente enespera interno interna oculto oculta ocultos cifrado enpausa pausa baja`,
    it: `privato privata privati interno interna soltanto bozza inpausa inattesa spento spenta fuorilinea invisibile`,
    pt: `senha apenas somente rascunho oculto oculta ocultado inativo inativa empausa emespera invisivel suspenso`,
    nl: `alleen prive privaat pauze inactief inloggen interne`,
  },
  cap: {
    en: 'cap caps limit limits limited quota budget max maximum maximal maximale onetime oneoff once single ceiling allotment ratelimit ratelimits frequencycap frequencylimit',
    de: `kontingent grenze grenzwert maximalzahl hoechstzahl hochstzahl hoechstens hochstens hoechstmenge hochstmenge hoechstgrenze
      hochstgrenze einmalig maximaler maximales begrenzung`,
    fr: 'limite limites plafond maximale maximales maximaux',
    es: 'limite limites limitado limitada tope cupo maximo maxima maximos maximas',
    it: 'limite limiti limitato limitata tetto massimo massima massimi massime',
    pt: 'limite limites limitado limitada teto cota maximo maxima maximos',
    nl: 'limiet limieten plafond maximaal maximale bovengrens',
  },
  // A moment after which a link leads nowhere.
  end: {
    en: `end ends ending until untill till til stop stops close closes closed closing unpublish unpublishes retire retires sunset due deadline
      notafter exp expdate ttl maxage kill kills killdate lapse lapses lapsed bestbefore useby
      turnoff turnoffat shutoff shutdown purge purges purged cutoff terminate terminates terminated termination finish finishes eol
      endoflife cease ceases`,
    de: 'ende endet befristet frist fristende schluss schliesst schliessung schliessungs bis',
    fr: 'fin jusque jusqu jusqua cloture clos fermeture ferme fermee termine terminee perime perimee butoir datebutoir',
    es: 'hasta finaliza finalizacion finalizado finalizada termina termino terminado vence cierre cierra cerrado cerrada plazo',
    it: 'scade termine termina terminato fino chiusura chiude chiuso chiusa conclusione concluso',
    pt: 'fim ate termina termino terminado prazo fechado fechada fechamento',
    nl: 'tot einde eind eindigt sluit sluiting sluitings gesloten uiterlijk uiterste',
  },
  // So too, but not clicks of the last day.
  last: {
    en: 'lastday lastvalidday',
    de: 'letztertag letztergultigertag letztergultigertag',
    fr: 'dernierjour',
    es: 'ultimodia',
    it: 'ultimogiorno',
    pt: 'ultimodia',
    nl: 'laatstedag',
  },
  // So too beside a word for a moment or for `open`.
  to: {
    en: 'to thru through final',
    de: '',
    fr: 'fine finale',
    es: 'final',
    it: 'fine',
    pt: 'final',
    nl: '',
  },
  // A moment before which a link leads nowhere.
  start: {
    en: `start starts started starting begin begins began beginning publish publishes published publishing embargo embargoed golive schedule
      scheduled schedules activation activates notbefore opensat openson opensfrom`,
    de: 'beginn beginnt startet freischaltung freischaltungs anfang geplant',
    fr: 'debut commence planifie planifiee demarrage miseenligne prevu prevue',
    es: 'inicio comienzo comienza empieza programado programada',
    it: 'inizio inizia decorrenza avvio programmato programmata pianificato',
    pt: 'inicio inicia comeca agendado agendada',
    nl: 'ingang ingangs begint aanvang ingaat gepland ingepland',
  },
  // So too beside a word for a moment or for `open`.
  from: {
    en: 'from since after launch launches release releases publication',
    de: 'ab seit von veroffentlichung veroeffentlichung veroffentlichungs veroeffentlichungs',
    fr: 'depuis partir publication lancement',
    es: 'desde publicacion lanzamiento',
    it: 'dal pubblicazione lancio',
    pt: 'publicacao lancamento',
    nl: 'vanaf publicatie',
  },
  // A link leads on where such a column says so.
  open: {
    en: `active actively activate activated enable enabled live online valid public visible visibility approved approval access accessible
      accessibility available availability effective privacy audience permission permissions listed open allowed publicationstatus
      whocansee whocanopen whocanview whocanvisit`,
    de: `aktiv aktive aktiviert oeffentlich offentlich sichtbar sichtbarkeit freigegeben freigeschaltet veroeffentlicht veroffentlicht
      eingeschaltet gueltig gultig verfuegbar verfugbar verfuegbarkeit verfugbarkeit genehmigt zustand zugriff zugang erreichbar
      erreichbarkeit freigabe zielgruppe berechtigung berechtigungen`,
    fr: `actif active activee publie publiee publique approuve approuvee valide valable disponible disponibilite enligne etat statut
      visibilite acces accessibilite`,
    es: `activo activa activado activada habilitado habilitada publicado publicada publico publica aprobado aprobada valido valida vigente
      estado disponible disponibilidad visible visibilidad acceso accesible enlinea permisos`,
    it: `attivo attiva attivato attivata abilitato abilitata pubblicato pubblicata pubblico pubblica visibile visibilita approvato approvata
      stato disponibile disponibilita accesso accessibile permessi`,
    pt: `ativo ativa ativado ativada visivel visibilidade aprovado aprovada habilitado disponivel disponibilidade acesso acessivel
      publicado publico situacao permissoes`,
    nl: `actief actieve ingeschakeld gepubliceerd openbaar zichtbaar zichtbaarheid goedgekeurd geldig beschikbaar beschikbaarheid toegang
      toegankelijk toegankelijkheid publiek`,
  },
  // Turns a word for `open` round, and alone is a number.
  not: { en: 'not no', de: 'nicht kein keine', fr: 'non pas', es: 'no', it: 'non', pt: 'nao', nl: 'niet geen' },
  // What is counted: such a column alone says nothing.
  use: {
    en: `click clicks visit visits visitor visitors hit hits use uses usage view views scan scans redirect redirects redemption redemptions
      opens traffic download downloads session sessions device devices attempt attempts times request requests accesses
      count counts counter total number num of daily weekly monthly hourly members member staff team employees
      employee users user people guests guest admins admin subscribers customers`,
    de: `klick klicks klicke klickzahl besuch besuche besucher aufruf aufrufe abruf abrufe zugriffe nutzung nutzungen nutzer benutzer anzahl
      zahl taeglich taglich taegliche tagliche oeffnungen offnungen einloesungen einlosungen weiterleitungen mitglieder mitarbeiter
      abonnenten kunden personen`,
    fr: `clic clics vue vues visite visites visiteur visiteurs nombre ouverture ouvertures utilisation utilisations utilisateurs passages
      redirections par membres abonnes equipe employes quotidien`,
    es: `clic clics visita visitas visitante visitantes numero uso usos vistas apertura aperturas escaneos redirecciones accesos usuarios por
      diario diarios miembros suscriptores empleados`,
    it: `visita visite visitatori numero clic utilizzo utilizzi uso usi apertura aperture scansioni reindirizzamenti utenti accessi
      visualizzazioni giornaliero giornalieri membri abbonati dipendenti per`,
    pt: `clique cliques visita visitas visitante visitantes numero uso usos utilizacoes abertura aberturas leituras acessos
      redirecionamentos usuarios visualizacoes diario diarios membros assinantes funcionarios`,
    nl: `klik kliks klikken bezoek bezoeken bezoekers aantal gebruik weergaven keer openingen gebruikers leden abonnees medewerkers
      doorverwijzingen`,
  },
  time: {
    en: 'at on date dates time datetime timestamp ts utc hour hours minute minutes second seconds',
    de: 'datum tag am zeit zeitpunkt uhrzeit',
    fr: 'heure jour',
    es: 'fecha hora dia',
    it: 'data ora giorno',
    pt: 'data hora dia',
    nl: 'datum tijd tijdstip dag op',
  },
  filler: {
    en: `is has was are be link links talink meta the for flag status state type level mode needs need requires require required per turn turned taken passthrough
      switch switched day days first unique good word code who can may reached`,
    de: 'ist noch bereits mehr erforderlich notig noetig fur fuer erreicht',
    fr: 'lien liens est requis requise pour atteint atteinte',
    es: 'enlace enlaces codigo requerido requerida esta para',
    it: 'collegamento codice',
    pt: 'codigo esta para',
    nl: 'koppeling voor vereist',
  },
};

const listAll = (byLanguage: ByLanguage): string[] => Object.values(byLanguage).flatMap(splitWords);
const toPattern = (stems: ByLanguage): RegExp => new RegExp(listAll(stems).join('|'));

export const protectingStems = toPattern(protecting);
export const limitingStems = toPattern(limiting);
export const remainingStems = toPattern(remaining);

export const wordMeanings: ReadonlyMap<string, WordMeaning> = new Map(
  (Object.keys(wordsByMeaning) as WordMeaning[]).flatMap((meaning) =>
    listAll(wordsByMeaning[meaning]).map((word) => [word, meaning] as const),
  ),
);
