import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { nameOfEvent } from '#api/openapi/events.ts';
import { deliveredTypes } from '#core/webhooks/events.ts';
import { useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';

const api = useTestApi();
const guide = readFileSync(join(import.meta.dirname, '../../../docs/webhook-events.md'), 'utf8');

// A test of the guide holds its events against real ones.
const events = [...guide.matchAll(/```json\n([\s\S]*?)```/g)]
  .map(([, text = '']) => JSON.parse(text) as { type?: string; data?: unknown })
  .filter(({ data, type }) => typeof data === 'object' && !Array.isArray(data) && type !== undefined);

describe('events in /doc', () => {
  it('the schema of each event allows the event that the guide shows, and no event without its data', async () => {
    const body = await readDocument(api);
    // OpenAPI 3.0 writes null beside a type.
    const document = JSON.parse(JSON.stringify(body), (_key, value) =>
      value?.nullable === true && typeof value.type === 'string' ? { ...value, type: [value.type, 'null'] } : value,
    );
    const ajv = new Ajv({ strict: false, validateFormats: false }).addSchema(document, 'doc');
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(deliveredTypes));
    for (const type of deliveredTypes) {
      const validate = ajv.compile({ $ref: `doc#/components/schemas/${nameOfEvent(type)}` });
      for (const event of events.filter((shown) => shown.type === type)) {
        expect({ type, valid: validate(event), errors: validate.errors }).toEqual({ type, valid: true, errors: null });
        expect(validate({ ...event, data: {} })).toBe(false);
        expect(validate({ ...event, type: 'another' })).toBe(false);
        expect(validate({ ...event, later: 1 })).toBe(true);
      }
    }
  });

  it('the call that creates a webhook has a callback for each event, and x-webhooks has the same', async () => {
    const body = await readDocument(api);
    const { callbacks } = body.paths['/webhook'].post;
    expect(Object.keys(callbacks)).toEqual([...deliveredTypes]);
    for (const type of deliveredTypes) {
      const request = callbacks[type]['{$request.body#/url}'];
      expect(request).toEqual(body['x-webhooks'][type]);
      expect(request.post.requestBody.content['application/json'].schema).toEqual({
        $ref: `#/components/schemas/${nameOfEvent(type)}`,
      });
    }
  });
});
