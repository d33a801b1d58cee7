import { createHmac, randomBytes } from 'node:crypto';
import { UsageError } from '../errors.js';
import { follow } from '../follow.js';

const answerMs = 15_000;

/** Signs as an installation does: for `verifyWebhook` and every library of Standard Webhooks. */
function headersOf({ id }, body, secret) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
}

async function forward(event, url, secret, signal) {
  const body = JSON.stringify(event);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: headersOf(event, body, secret),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    await answer.body?.cancel();
    return String(answer.status);
  } catch (error) {
    return error.cause?.code ?? error.message;
  }
}

export const webhookCommands = [
  {
    name: 'webhook list',
    summary: 'List webhooks.',
    async run({ client, output }) {
      const webhooks = [];
      for await (const webhook of client.webhooks.list()) webhooks.push(webhook);
      output.list(webhooks, {
        address: ({ url }) => url,
        state: ({ isActive }) => (isActive ? 'on' : 'off'),
        events: ({ events }) => events.join(' '),
        id: ({ id }) => id,
      });
    },
  },
  {
    name: 'webhook create',
    summary: 'Send events to an address, and print the secret that signs them, which is shown once.',
    takes: 'ADDRESS',
    options: {
      event: { type: 'string', multiple: true, help: 'A type of events, like link.created.' },
      name: { type: 'string', help: 'A name for people.' },
    },
    async run({ client, values, positionals: [url], output }) {
      if (values.event === undefined)
        throw new UsageError('Name the events: --event link.created --event link.clicked');
      const { event: events, name } = values;
      const webhook = await client.webhooks.create({ url, events, ...(name !== undefined && { name }) });
      output.result(webhook, webhook.secret);
    },
  },
  {
    name: 'webhook listen',
    summary: 'Print events as they happen, and send them to a program on this computer.',
    options: {
      forward: {
        type: 'string',
        short: 'f',
        help: 'Address that gets each event as a webhook would, like http://localhost:4000/hook.',
      },
      type: { type: 'string', help: 'Only events of this type, like link.created.' },
      since: { type: 'string', help: 'Begin with events since then, like 2026-11-27T12:00:00Z. Default: now.' },
      secret: { type: 'string', help: 'Signs what is sent. Default: a new one, which is printed.' },
    },
    async run({ client, values, output, io }) {
      if (values.forward !== undefined && !/^https?:\/\//.test(values.forward))
        throw new UsageError('--forward is an address like http://localhost:4000/hook');
      const secret = values.secret ?? io.env.WAYMARK_WEBHOOK_SECRET ?? `whsec_${randomBytes(32).toString('base64')}`;
      if (values.forward !== undefined && values.secret === undefined)
        io.stderr.write(`Verify with the secret ${secret}\n`);
      output.warn('Events come some ten seconds after they happen. Ctrl-C ends.');
      let cursor;
      const since = values.since ?? new Date().toISOString();
      await follow(io, output, async () => {
        const query = { limit: 100, ...(values.type !== undefined && { type: values.type }) };
        const page = await client.events.list({ ...query, ...(cursor === undefined ? { since } : { cursor }) });
        for (const event of page.data) {
          const status = values.forward === undefined ? '' : await forward(event, values.forward, secret, io.signal);
          if (output.isJson) output.line(JSON.stringify(status === '' ? event : { ...event, status }));
          else output.line([event.createdAt, event.type, event.id, status].join('\t').trimEnd());
        }
        cursor = page.nextCursor;
        return page.hasMore;
      });
    },
  },
];
