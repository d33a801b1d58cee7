import type { CompiledLink } from '#core/routing/compiled-link.ts';
import type { EnrichedVisitor, Enricher } from '#edge/visitor/enricher.ts';

const anyone: EnrichedVisitor = {
  query: '',
  country: null,
  language: null,
  osType: 'other',
  isBot: false,
  isPreviewer: false,
  isAndroidWebView: false,
  address: '',
  userAgent: '',
  countryFields: '',
  hasGpc: false,
  locationFields: '',
  languageField: '',
  agentFields: '',
  refererField: '',
};

/** Looks at no request: all clicks of a link are the same line. */
export function createEnricher(): Enricher {
  const lines = new WeakMap<CompiledLink, string>();
  return {
    visitor: () => anyone,
    click(link, _visitor, url) {
      let line = lines.get(link);
      if (line === undefined) lines.set(link, (line = lineOf(link, url)));
      return line;
    },
  };
}

/** In the order of `clickColumns`. */
function lineOf(link: CompiledLink, url: string): string {
  const fields = [crypto.randomUUID(), new Date().toISOString(), link.id, '\\\\x00'];
  const unknown = (count: number): string[] => Array.from({ length: count }, () => '\\N');
  fields.push(...unknown(5), 'other', ...unknown(3), 'f', ...unknown(5));
  fields.push(link.organizationId, link.domainId, link.folderId, '{}', url);
  return `${fields.join('\t')}\n`;
}
