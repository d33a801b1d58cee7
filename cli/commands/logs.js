import { UsageError } from '../errors.js';
import { follow } from '../follow.js';

// A call is listed within some seconds after it came: those of the last ones are asked for again.
const lateMs = 15_000;
const mostOfTail = 500;

const lineOf = ({ at, method, path, query, status, code, latencyMs, by, id }) =>
  [at, status, method, query === null ? path : `${path}?${query}`, `${latencyMs} ms`, by.name, code, id].map(
    (value) => value ?? '',
  );

function countOf(text = '20') {
  const count = Number(text);
  if (text.trim() === '' || !Number.isInteger(count) || count < 0 || count > mostOfTail)
    throw new UsageError(`--limit is a whole number up to ${mostOfTail}`);
  return count;
}

/** The latest calls, oldest first. */
async function latest(client, query, most) {
  const calls = [];
  for await (const call of client.requestLog.list(query)) if (calls.push(call) === most) break;
  return calls.toReversed();
}

export const logCommands = [
  {
    name: 'logs tail',
    summary: 'Print the latest API calls of the organization, and with --follow those to come.',
    options: {
      follow: { type: 'boolean', short: 'f', help: 'Go on with calls as they come; Ctrl-C ends.' },
      status: { type: 'string', help: 'Only calls of this status, like 404, or of a class, like 4xx.' },
      method: { type: 'string', help: 'Only calls by this method, like POST.' },
      route: { type: 'string', help: 'Only calls of this path of /doc, like /short-link/{id}.' },
      by: { type: 'string', help: 'Only calls by `key`, or by `member`.' },
      'key-id': { type: 'string', help: 'Only calls with this API key.' },
      limit: { type: 'string', help: `How many calls to begin with, up to ${mostOfTail}. Default: 20.` },
    },
    async run({ client, values, output, io }) {
      const { status, method, route, by, 'key-id': keyId } = values;
      const filters = { status, method: method?.toUpperCase(), route, by, keyId };
      const print = (call) => (output.isJson ? output.line(JSON.stringify(call)) : output.row(lineOf(call)));
      const most = countOf(values.limit);
      // The newest one tells with --limit 0 which calls come later: the clocks of both ends may differ.
      const first = await latest(client, filters, Math.max(1, most));
      first.slice(0, most).forEach(print);
      if (!values.follow) return;
      let seen = new Set(first.map(({ id }) => id));
      let newestMs = Math.max(Date.now(), ...first.map(({ at }) => Date.parse(at)));
      await follow(io, output, async () => {
        const since = new Date(newestMs - lateMs).toISOString();
        const calls = await latest(client, { ...filters, since }, Infinity);
        for (const call of calls) {
          // Those that came before the start were left out by --limit.
          if (!seen.has(call.id) && (first.length === 0 || call.id > first[0].id)) print(call);
          newestMs = Math.max(newestMs, Date.parse(call.at));
        }
        seen = new Set([...first.map(({ id }) => id), ...calls.map(({ id }) => id)]);
      });
    },
  },
  {
    name: 'logs get',
    summary: 'Show an API call by the request id that its error names: what was sent, and what was answered.',
    takes: 'REQUEST-ID',
    async run({ client, positionals: [id], output }) {
      const call = await client.requestLog.get(id);
      const { at, method, path, query, status, code, latencyMs, by, request, answer } = call;
      output.fields(call, {
        call: `${method} ${query === null ? path : `${path}?${query}`}`,
        status: code === null ? status : `${status} ${code}`,
        at,
        took: `${latencyMs} ms`,
        by: `${by.name ?? ''} (${by.type})`,
        sent: request.body ?? request.type,
        answered: answer.body ?? answer.type,
      });
    },
  },
];
