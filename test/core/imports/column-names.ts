/** Names of columns as people and link services write them, by language. */
interface ColumnNames {
  /** A link that asks for something, is not for all, or leads nowhere. */
  protected: string;
  /** An end or a cap. */
  limited: string;
  /** How much is left of a cap: 0 limits too. */
  remaining: string;
  /** Since when a link leads on. */
  start: string;
  /** Whether a link leads on, or for whom. */
  open: string;
  /** Says nothing of these. */
  harmless: string;
}

export const columnNames: Record<string, ColumnNames> = {
  English: {
    protected:
      'Access code,Login required,PIN,OTP,2FA,MFA,Passphrase,Link password,Authorized users,Authorised domains,Allowed countries,Countries allowed,Permitted IPs,Paywall,Kill switch,On hold,Hold,Held,Voided,Void,Snoozed,Quarantined,Dormant,Revoked at,Unavailable,Cancelled,Trashed on,Offline since,Members only,Not active,Not public,Invisible,Draft link,Confidential,Reserved,Retired,Limit exhausted',
    limited:
      'Max redemptions,Redemption limit,Max opens,Max traffic,Max downloads,Session limit,Rate limit,Frequency cap,Click quota,Max. visits per day,Limit reached,Kill date,Turn off at,Lapse date,Best before,Lifespan,Last day,Purge at,Cutoff date,Shutdown date,Termination date,Final date,EOL,Use by,Validity,Time to live,Available until,End of life',
    remaining: 'Clicks left,Left clicks,Remaining clicks,Visits remaining,Available clicks,Clicks available,Opens left',
    start: 'Opens at,Opens on,Go live,Start time,Available from,Launch date,Publish on,Scheduled for,Embargo',
    open: 'Who can access,Visibility,Availability,Who can see,Accessible,Audience',
    harmless:
      'Title,Notes,Created at,Owner,Clicks,Last clicked,Campaign,Source,Medium,Content,Description,Comments,Author,Team,Client,Project,Category,Group,Colour,Priority,Unique clicks,Last visit,Last updated,Experiment,Opens,Open rate,Click-through rate,Bounce rate,Clicks last day,Restaurant',
  },
  German: {
    protected:
      'Kennwort,Passwort,Geschützt,Zugangscode,Zugriffsschlüssel,Geheimnis,Vertraulich,Gesperrt,Sperrdatum,Sperrvermerk,Inaktiv,Deaktiviert am,Gelöscht am,Löschfrist,Abgeschaltet,Abschaltung,Pausiert,Stillgelegt,Angehalten,Ungültig,Unsichtbar,Nicht öffentlich,Nicht aktiv,Nur intern,Nur für Mitglieder,Entwurf,Archiviert,Papierkorb,Widerrufen,Storniert,Erlaubte Länder,Altersfreigabe,Eingeschränkt auf',
    limited:
      'Klickgrenze,Klicklimit,Obergrenze,Max. Aufrufe,Höchstzahl Klicks,Maximale Anzahl Besuche,Kontingent,Einmalig,Ablaufdatum,Verfällt am,Verfallsdatum,Laufzeit,Gültigkeit,Gültig bis,Befristet bis,Fristende,Frist,Endet am,Enddatum,Letzter Tag,Haltbar bis,Verfügbar bis,Schließt am,Grenze erreicht',
    remaining: 'Verbleibende Klicks,Übrige Klicks,Uebrige Aufrufe,Restklicks,Restliche Besuche,Verfügbare Klicks',
    start: 'Startdatum,Gültig ab,Verfügbar ab,Aktiv seit,Freischaltung am,Veröffentlichung am,Beginn,Geplant für',
    open: 'Sichtbarkeit,Verfügbarkeit,Zugriff,Freigabe,Zielgruppe,Berechtigungen,Öffentlich',
    harmless:
      'Titel,Notizen,Erstellt am,Ersteller,Besitzer,Klicks,Zuletzt geklickt,Letzter Klick,Kampagne,Quelle,Medium,Beschreibung,Kommentar,Autor,Kunde,Abteilung,Sprache,Land,Gerät,Eindeutige Klicks,Besucher,Anzahl Klicks,Projekt,Kategorie,Gruppe,Farbe,Bild,Zuletzt geändert,Priorität,Restaurant,Verantwortlich,Klicks gesamt',
  },
  French: {
    protected:
      "Mot de passe,mot_de_passe,motDePasse,MDP,Code d'accès,Clé d'accès,Phrase de passe,Protégé,Confidentiel,Bloqué,Bloquée,Bloqués,Verrouillé,Suspendu,Suspension,En pause,Inactif,Désactivé le,Supprimé,Archivé,Annulé,Hors ligne,Masqué,Brouillon,Corbeille,Privé,Interne,Réservé aux membres,Non publié,Pas actif,Indisponible,Pays autorisés,Accès restreint,Interdit,Dépublié le,Épuisé",
    limited:
      "Fin de validité,Durée de validité,Validité,Date d'expiration,Expire le,Date limite,Date de fin,Échéance,Péremption,Périmé,Valable jusqu'au,Disponible jusqu'au,Clôture,Fermeture,Dernier jour,Date butoir,Plafond,Limite de clics,Nombre maximal de vues,Clics maximum,Maximum d'ouvertures,Limite atteinte",
    remaining: 'Clics restants,Vues restantes,Visites restantes,Clics disponibles,Nombre de clics restants',
    start:
      'Disponible à partir de,Date de début,Début,Publié le,Actif depuis,Date de lancement,Planifié pour,Date de publication',
    open: 'Visibilité,Disponibilité,Accès,Accessibilité,Actif,En ligne,État,Publique',
    harmless:
      'Titre,Notes,Créé le,Créé par,Propriétaire,Clics,Dernier clic,Dernière visite,Campagne,Source,Support,Contenu,Description,Commentaires,Auteur,Équipe,Client,Projet,Catégorie,Groupe,Couleur,Priorité,Clics uniques,Nombre de clics,Visiteurs,Modifié le,Mots-clés,Étiquettes,Langue,Pays,Mise à jour,Restaurant',
  },
  Spanish: {
    protected:
      'Contraseña,Clave,Clave de acceso,Código de acceso,código_de_acceso,Palabra de paso,Protegido,Restringido a,Deshabilitado,Inhabilitado,Inactivo,Desactivado,Eliminado el,Borrado,Bloqueado,Suspendido,Pausado,En pausa,Cancelado,Anulado,Oculto,Retirado,Detenido,Archivado,Papelera,Confidencial,Reservado,Borrador,Privado,Solo miembros,No activo,No publicado,Países permitidos,Fecha de baja,Agotado',
    limited:
      'Fecha de vencimiento,Vence el,Vencido,Caducidad,Validez,Válido hasta,Disponible hasta,Fecha límite,Fecha de fin,Fecha final,Fecha de cierre,Finalización,Plazo,Último día,Vida útil,Termina el,Límite de clics,Tope,Cupo,Máximo de visitas,Número máximo de clics,Expira,Límite diario',
    remaining: 'Clics restantes,Visitas restantes,Clics que quedan,Clics disponibles,Usos restantes',
    start:
      'Fecha de inicio,Inicio,Disponible desde,Válido desde,Comienza el,Publicado el,Fecha de publicación,Programado para',
    open: 'Visibilidad,Disponibilidad,Acceso,Habilitado,Vigente,Estado,Público,Permisos',
    harmless:
      'Título,Notas,Creado el,Creado por,Propietario,Clics,Último clic,Última visita,Último acceso,Campaña,Origen,Fuente,Medio,Contenido,Descripción,Comentarios,Autor,Equipo,Cliente,Proyecto,Categoría,Grupo,Color,Prioridad,Clics únicos,Número de visitas,Visitantes,Archivo,Palabras clave,Etiquetas,Idioma,País,Actualizado',
  },
  Italian: {
    protected:
      "Parola d'ordine,Parola chiave,parola_di_accesso,Codice di accesso,Codice d'accesso,Password del link,Protetto,Segreto,Confidenziale,Riservato,Disabilitato,Disattivato,Inattivo,In pausa,Sospeso,Bloccato,Eliminato il,Cancellato,Annullato,Rimosso,Nascosto,Archiviato,Cestino,Bozza,Privato,Interno,Solo membri,Non attivo,Non pubblico,Congelato,Ritirato,Paesi consentiti,Esaurito",
    limited:
      'Scadenza,Data di scadenza,Scade il,Scaduto,Validità,Fine validità,Valido fino al,Disponibile fino a,Data di fine,Data fine,Termine,Chiusura,Ultimo giorno,Limite di clic,Limite giornaliero,Numero massimo di clic,Massimo visite,Visite massime,Tetto,Limite visualizzazioni',
    remaining: 'Clic rimanenti,Visite rimanenti,Clic rimasti,Clic residui,Clic disponibili',
    start:
      'Data di inizio,Inizio,Attivo dal,Disponibile dal,Pubblicato il giorno,Data di pubblicazione,Decorrenza,Programmato per,Data di lancio',
    open: 'Visibilità,Disponibilità,Accesso,Stato,Pubblico,Abilitato,Permessi',
    harmless:
      'Titolo,Note,Creato il,Creato da,Proprietario,Clic,Ultimo clic,Ultima visita,Ultimo accesso,Campagna,Fonte,Origine,Mezzo,Contenuto,Descrizione,Commenti,Autore,Squadra,Cliente,Progetto,Categoria,Gruppo,Colore,Priorità,Clic unici,Numero di visite,Visitatori,Parole chiave,Etichette,Lingua,Paese,Aggiornato',
  },
  Portuguese: {
    protected:
      'Senha,Palavra-passe,Código de acesso,codigo_de_acesso,Chave de acesso,Protegido,Restrito,Secreto,Confidencial,Reservado,Desativado,Desabilitado,Inabilitado,Inativo,Suspenso,Pausado,Em pausa,Bloqueado,Arquivado,Excluído em,Apagado,Removido,Eliminado,Cancelado,Anulado,Oculto,Lixeira,Rascunho,Privado,Somente membros,Apenas interno,Não ativo,Não publicado,Países autorizados,Autorizado,Revogado,Esgotado',
    limited:
      'Data de validade,Validade,Válido até,Disponível até,Data de vencimento,Vencido,Data de expiração,Expira em,Prazo,Data limite,Data final,Data de fim,Data de término,Encerra em,Encerrado,Encerramento,Último dia,Limite de cliques,Limite diário,Máximo de acessos,Número máximo de visitas,Cota,Teto',
    remaining: 'Cliques restantes,Visitas restantes,Acessos restantes,Cliques disponíveis,Usos restantes',
    start:
      'Disponível a partir de,Data de início,Início,Ativo desde,Publicado data,Data de publicação,Data de lançamento,Agendado para',
    open: 'Visibilidade,Disponibilidade,Acesso,Ativo,Situação,Público,Permissões',
    harmless:
      'Título,Notas,Criado em,Criado por,Proprietário,Cliques,Último clique,Última visita,Último acesso,Campanha,Origem,Fonte,Meio,Conteúdo,Descrição,Comentários,Observações,Autor,Equipa,Cliente,Projeto,Categoria,Grupo,Cor,Prioridade,Cliques únicos,Número de visitas,Visitantes,Arquivo,Palavras-chave,Etiquetas,Idioma,País,Última atualização,Resenha',
  },
  Dutch: {
    protected:
      'Wachtwoord,Wachtzin,Toegangscode,Toegangssleutel,Beveiligd,Beschermd,Beperkt tot,Geheim,Vertrouwelijk,Inactief,Gepauzeerd,Pauze,Uitgeschakeld,Gedeactiveerd,Verwijderd op,Geblokkeerd,Blokkade,Opgeschort,Geschorst,Gearchiveerd,Geannuleerd,Verborgen,Vergrendeld,Prullenbak,Ingetrokken,Stopgezet,Besloten,Onzichtbaar,Privé,Alleen leden,Niet actief,Niet openbaar,Toegestane landen,Afgekeurd',
    limited:
      'Verloopdatum,Verloopt op,Vervaldatum,Vervalt op,Geldigheid,Geldig tot,Beschikbaar tot,Houdbaar tot,Looptijd,Einddatum,Einde,Eindigt op,Sluit op,Sluiting,Laatste dag,Uiterste datum,Maximaal aantal klikken,Kliklimiet,Limiet,Maximum bezoeken,Max. weergaven,Bovengrens,Maximale kliks',
    remaining: 'Resterende kliks,Resterende klikken,Resterend aantal,Beschikbare klikken,Restklikken',
    start: 'Begindatum,Startdatum,Ingangsdatum,Geldig vanaf,Beschikbaar vanaf,Publicatiedatum,Gepland op,Actief vanaf',
    open: 'Zichtbaarheid,Beschikbaarheid,Toegang,Toegankelijk,Actief,Openbaar,Ingeschakeld',
    harmless:
      'Titel,Notities,Aangemaakt op,Aangemaakt door,Eigenaar,Klikken,Laatst geklikt,Laatste klik,Laatste bezoek,Campagne,Bron,Medium,Inhoud,Beschrijving,Opmerkingen,Auteur,Team,Klant,Project,Categorie,Groep,Kleur,Prioriteit,Unieke klikken,Aantal klikken,Bezoekers,Trefwoorden,Labels,Taal,Land,Bijgewerkt op,Klikken afgelopen week',
  },
};
