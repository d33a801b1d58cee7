import { describe, expect, it } from 'vitest';
import { type OpenapiDocument, readDescription, readDocument } from '#test/support/openapi.ts';
import { defaults } from '#api/openapi/document.ts';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();

interface Part {
  $ref?: string;
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Part>;
}

/** Calls `visit` with each object in a part of the document. */
function walk(part: unknown, visit: (part: Part) => void): void {
  if (typeof part !== 'object' || part === null) return;
  visit(part);
  for (const value of Object.values(part)) walk(value, visit);
}

/** Every operation with its `operationId`. */
function operationsOf(document: OpenapiDocument) {
  return Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => operation as typeof operation & { operationId: string }),
  );
}

describe('/doc', () => {
  it('describes every schema, operation, field and parameter', async () => {
    const body = await readDocument(api);
    const silent: string[] = [];
    for (const [name, schema] of Object.entries<Part>(body.components.schemas)) {
      if (schema.description === undefined) silent.push(name);
    }
    walk([body.components.schemas, body.paths], ({ properties = {} }) => {
      for (const [name, field] of Object.entries(properties)) {
        if (field.$ref === undefined && typeof field === 'object' && !field.description) silent.push(name);
      }
    });
    for (const { operationId, description, parameters = [] } of operationsOf(body) as (Part & {
      operationId: string;
      parameters?: (Part & { name?: string })[];
    })[]) {
      if (!description) silent.push(operationId);
      for (const { name, $ref, description: text } of parameters)
        if ($ref === undefined && !text) silent.push(`${operationId} ${name}`);
    }
    expect([...new Set(silent)]).toEqual([]);
  });

  it('describes a field by what it is there, where other schemas mean something else by its name', async () => {
    const { components, paths } = await readDocument(api);
    const told = (schema: string, field: string): string => components.schemas[schema].properties[field].description;
    for (const schema of ['ShortLink', 'ChangedShortLink', 'ShortLinkItem'])
      expect(told(schema, 'originUrl')).toContain('short address');
    for (const schema of ['DnsRecord', 'FoundDnsRecord', 'NeededDnsRecord', 'DomainNeededRecord'])
      expect([told(schema, 'type'), told(schema, 'name')]).toEqual(['Type of the record.', 'Full name of the record.']);
    expect(told('NeededDnsRecord', 'value')).toBe('Content of the record.');
    const { parameters } = paths['/webhook/{id}/deliveries'].get as { parameters: (Part & { name: string })[] };
    const ofParameter = (name: string) => parameters.find((parameter) => parameter.name === name)?.description;
    expect(ofParameter('status')).toContain('`pending`');
    expect(ofParameter('type')).toBe('Type of the event.');
  });

  it('gives every success answer an example that its schema allows', { tags: 'slow' }, async () => {
    const body = await readDocument(api);
    const description = readDescription(body);
    const problems: string[] = [];
    for (const operation of description.operations) {
      const { responses } = body.paths[operation.path][operation.method.toLowerCase()];
      for (const [status, { content = {} }] of Object.entries<{ content?: object }>(responses)) {
        if (!status.startsWith('2')) continue;
        for (const [type, { schema, example }] of Object.entries<{ schema: { format?: string }; example?: unknown }>(
          content as never,
        )) {
          if (schema.format === 'binary') continue;
          const text = type === 'application/json' ? JSON.stringify(example) : example;
          const problem =
            text === undefined
              ? 'has no example'
              : description.problemOf(operation, {
                  status: Number(status),
                  contentType: type,
                  text: text as string,
                });
          if (problem !== undefined) problems.push(`${operation.name} ${status}: ${problem}`);
        }
      }
    }
    expect(problems).toEqual([]);
  });

  it('leaves answers open to new fields and keeps bodies of requests closed', async () => {
    const body = await readDocument(api);
    const closed: string[] = [];
    const seen = new Set<string>();
    const visit = (place: string, part: unknown): void =>
      walk(part, ({ additionalProperties, $ref }) => {
        if (additionalProperties === false) closed.push(place);
        const name = $ref?.split('/schemas/')[1];
        if (name === undefined || seen.has(name)) return;
        seen.add(name);
        visit(name, body.components.schemas[name]);
      });
    for (const { operationId, responses } of operationsOf(body)) visit(operationId, responses);
    expect(closed).toEqual([]);
    for (const name of ['CreateShortLink', 'UpdateShortLink', 'CreateWebhook', 'CreateTag'])
      expect(body.components.schemas[name].additionalProperties).toBe(false);
  });

  it('asks for no body where each field of a POST is optional', async () => {
    const document = await readDocument(api);
    const asked = readDescription(document).operations.flatMap(({ method, path }) => {
      const { operationId, requestBody } = document.paths[path][method.toLowerCase()];
      const { $ref, ...inline } = requestBody?.content['application/json']?.schema ?? {};
      const schema = $ref === undefined ? inline : document.components.schemas[$ref.split('/schemas/')[1]];
      const areOptional = schema.properties !== undefined && (schema.required ?? []).length === 0;
      return method === 'POST' && areOptional && requestBody.required === true ? [operationId as string] : [];
    });
    // It takes one of its fields.
    expect(asked).toEqual(['confirmSession']);
  });

  it('names the default that a create without the field has', async () => {
    const body = await readDocument(api);
    const made = {
      CreateShortLink: (
        await api.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com' } })
      ).body,
      CreateFolder: (await api.call('POST', '/folder', { name: 'Without a color' })).body,
    };
    const described = { ...made, DestinationDraft: made.CreateShortLink.destination };
    expect(Object.keys(described).toSorted()).toEqual(Object.keys(defaults).toSorted());
    for (const [schema, answer] of Object.entries(described)) {
      expect(answer).toMatchObject(defaults[schema]!);
      for (const [field, value] of Object.entries(defaults[schema]!))
        expect(body.components.schemas[schema].properties[field].description).toContain(JSON.stringify(value));
    }
    const limit = body.paths['/tag/list'].get.parameters.find(({ name }: { name: string }) => name === 'limit');
    expect(limit.schema).toMatchObject({ type: 'integer', default: 10, maximum: 50 });
  });

  it('describes the headers that answers have and no others', { tags: 'slow' }, async () => {
    const body = await readDocument(api);
    const link = await api.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com' } });
    const read = (url: string) => api.app.inject({ url, headers: { 'x-api-key': api.organization.key } });
    const answers = {
      '/short-link/{id}': await read(`/short-link/${link.body.id}`),
      '/short-link/export': await read('/short-link/export'),
      '/tag/list': await read('/tag/list'),
    };
    // Said of all answers, or of the connection, not of one operation.
    const common =
      /^(?:content-type|content-length|date|connection|vary|cache-control|referrer-policy|x-content-type-options|strict-transport-security|content-security-policy|cross-origin-.*|transfer-encoding)$/;
    for (const [path, { headers }] of Object.entries(answers)) {
      const described = Object.keys(body.paths[path].get.responses[200].headers).map((name) => name.toLowerCase());
      const sent = Object.keys(headers).filter((name) => !common.test(name));
      expect([path, sent.toSorted()]).toEqual([path, described.toSorted()]);
    }
    const { parameters } = body.paths['/short-link/{id}/duplicate'].post;
    expect(JSON.stringify(parameters)).not.toContain('If-Match');
    expect(JSON.stringify(body.paths['/files/public/{urlKey}'].get.parameters)).toContain('If-None-Match');
  });

  it('marks fields of requests that are ignored as read-only', async () => {
    const body = await readDocument(api);
    expect(body.components.schemas.UpdateWebhook.properties).toMatchObject({
      createdAt: { readOnly: true },
      url: expect.not.objectContaining({ readOnly: true }),
    });
  });
});
