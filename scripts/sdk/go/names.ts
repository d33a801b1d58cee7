/** Words that Go writes in capitals, or in their own way. */
const initialisms: Readonly<Record<string, string>> = Object.fromEntries(
  'API BOM CSV DNS HTML ID IDs IOS JSON MIME OIDC OS PNG QR RP SVG TLS TOTP TXT URI URL UTF UTM MacOS YOURLS'
    .split(' ')
    .map((word) => [word.toLowerCase(), word]),
);

/** Go's exported name of `camelCase`, `kebab-case`, `dotted.text` or `CAPITALS_WITH_LINES`. */
export function exported(text: string): string {
  // Short words in capitals are names of their own: CNAME, AAAA.
  if (/^[A-Z]{1,5}$/.test(text)) return text;
  const parts = /^[A-Z_]+$/.test(text) ? text.toLowerCase() : text;
  return parts
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => initialisms[word.toLowerCase()] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Go's name of a parameter: `changeId` is `changeID`. */
export function parameter(text: string): string {
  const [first = '', ...rest] = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(' ');
  return first + exported(rest.join('-'));
}

/**
 * Go names of types, by the name that the generator makes of a type's parent and field. Types with the same Go name are merged: the enum
 * has the values of all of them.
 */
export const chosenNames: Readonly<Record<string, string>> = {
  APIErrorCode: 'ErrorCode',
  APIErrorIssues: 'Issue',
  APIErrorMethods: 'ConfirmationMethod',
  DestinationDraftType: 'DestinationType',
  DestinationThreatTypes: 'ThreatType',
  ChangedShortLinkQRCode: 'QRCode',
  CreateShortLinkQRCode: 'QRCodeDraft',
  ChangedShortLinkTakenDown: 'TakenDown',
  CreateShortLinkMetaTags: 'MetaTagsDraft',
  CreateAPIKeyType: 'APIKeyType',
  PermissionsShortLinks: 'Permission',
  RuleDraftOSTypes: 'OSType',
  CreateShortLinksAnswer: 'LinkResults',
  LinkResultsResults: 'LinkResult',
  LinkResultError: 'RowError',
  DeleteShortLinksAnswer: 'DeletedLinkResults',
  DeletedLinkResultsResults: 'DeletedLinkResult',
  DeleteShortLinkAnswer: 'RowCount',
  CountShortLinksAnswer: 'LinkCount',
  CheckLivenessAnswer: 'Liveness',
  CheckReadinessAnswer: 'Readiness',
  ListShortLinksStates: 'LinkState',
  ListShortLinksView: 'LinkView',
  ListShortLinksSortBy: 'LinkSort',
  ListShortLinksSortOrder: 'SortOrder',
  LinkCountsData: 'LinkStateCount',
  GetStatsOverviewAgents: 'Agents',
  GetStatsOverviewGroupBy: 'GroupBy',
  GetClicksOverTimeInterval: 'Interval',
  GetStatsReportCompare: 'Comparison',
  StatsOverviewData: 'StatsGroup',
  StatsReportBreakdowns: 'StatsBreakdown',
  StatsReportTimeline: 'ReportPoint',
  StatsTimelineData: 'TimelinePoint',
  DrawShortLinkQRCodeFormat: 'QRCodeFormat',
  ExportAuditLogFormat: 'AuditFormat',
  ListFilesKind: 'FileKind',
  ListImportRowsState: 'ImportRowState',
  ImportShortLinksBodyFormat: 'ImportFormat',
  UploadMetaTagImageBody: 'UploadImageBody',
  ListEventsType: 'EventType',
  TestWebhookBodyType: 'EventType',
  LinkCreatedLinkDestination: 'EventDestination',
  ListActivityActions: 'ActivityAction',
  ListAuditLogCategories: 'AuditCategory',
  MemberRole: 'Role',
  CreatedInvitationState: 'InvitationState',
  OrganizationPlan: 'Plan',
  OrganizationThreatPolicy: 'ThreatPolicy',
  NeededDNSRecordType: 'DNSRecordType',
  QROptionsCornersSquareOptions: 'QRCornerOptions',
  QROptionsDotsOptions: 'QRDotOptions',
  GradientColorStops: 'ColorStop',
  CreateWebhookScope: 'WebhookScopeDraft',
  WebhookWithSecretScope: 'WebhookScope',
  WebhookWithSecretDisabledReason: 'DisabledReason',
  WebhookDeliveryStatus: 'DeliveryStatus',
  WebhookDeliveryDetailAttempts: 'DeliveryAttempt',
  SignInSecondStepPasskey: 'PasskeyAssertion',
  PasskeyRequestOptionsUserVerification: 'UserVerification',
  QRCornerOptionsType: 'QRCornerType',
  QRDotOptionsType: 'QRDotType',
};

/** Comment lines above a declaration; none without a text. */
export function comment(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  return text
    .split('\n')
    .map((line) => `${indent}// ${line}`.trimEnd() + '\n')
    .join('');
}

/** Rows in columns as gofmt has them: a comment begins a new group of aligned rows. */
export function align(rows: readonly { comment: string; cells: readonly string[] }[], indent = '\t'): string {
  const groups: (typeof rows)[number][][] = [];
  for (const row of rows) {
    if (row.comment !== '' || groups.length === 0) groups.push([]);
    groups.at(-1)!.push(row);
  }
  return groups
    .map((group) => {
      const widths = group[0]!.cells.map((_, column) => Math.max(...group.map(({ cells }) => cells[column]!.length)));
      const lines = group.map(({ cells }) =>
        cells
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join(' ')
          .trimEnd(),
      );
      return group[0]!.comment + lines.map((line) => `${indent}${line}\n`).join('');
    })
    .join('');
}
