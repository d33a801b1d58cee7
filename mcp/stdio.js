#!/usr/bin/env node
// Carries MCP messages between stdin and stdout and the `/mcp` of a Waymark installation, which has the tools: each line is one
// JSON-RPC message. WAYMARK_URL is the address of its API, WAYMARK_API_KEY a key. Without dependencies.
import process from 'node:process';

const [WAYMARK_URL, WAYMARK_API_KEY] = [process.env.WAYMARK_URL, process.env.WAYMARK_API_KEY].map((text) =>
  text?.trim(),
);
if (!WAYMARK_URL || !WAYMARK_API_KEY) stop('Set WAYMARK_URL (the address of the API) and WAYMARK_API_KEY.');
if (!URL.canParse(WAYMARK_URL) || !/^https?:\/\/[^?#]+$/i.test(WAYMARK_URL))
  stop(`WAYMARK_URL is an address like https://api.example.com, not ${WAYMARK_URL}.`);
// Without the key, which `fetch` would name to the agent.
if (!/^[\x21-\x7e]+$/.test(WAYMARK_API_KEY)) stop('WAYMARK_API_KEY has characters that no key has.');

const address = `${WAYMARK_URL.replace(/\/+$/, '')}/mcp`;
const timeoutMs = 60_000;
const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion';
/** Version that an `initialize` of 2025 has agreed on; later messages of such clients do not carry it. */
let agreedVersion;
/** Session of such a client: the name that it gave in its `initialize`. */
let session;

/** Calls that wait for their answer, by the id of their message. */
const waiting = new Map();

for await (const line of linesOf(process.stdin)) if (line.trim() !== '') void forward(line);

function stop(problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

async function forward(line) {
  const message = parse(line);
  if (message === undefined) return fail(null, -32_700, 'This line is no message of JSON-RPC.');
  const call = new AbortController();
  let isAnswered = false;
  try {
    if (message.method === 'notifications/cancelled') waiting.get(message.params?.requestId)?.abort();
    if (message.id !== undefined) waiting.set(message.id, call);
    const answer = await fetch(address, {
      method: 'POST',
      headers: headersOf(message),
      body: line,
      // A redirect may lead to another host, which would get the key.
      redirect: 'manual',
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]),
    });
    session = answer.headers.get('mcp-session-id') ?? session;
    const location = answer.headers.get('location');
    if (location !== null)
      return refuse(message, `${WAYMARK_URL} leads to ${location}: set WAYMARK_URL to the API itself.`);
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
    const texts = isStream ? eventsOf(answer.body) : [await answer.text()];
    for await (const text of texts) if (text.trim() !== '') isAnswered = pass(message, text) || isAnswered;
    // A message with an id and without a method is itself an answer.
    if (message.id !== undefined && message.method !== undefined && !isAnswered)
      throw new Error(`its answer, of status ${answer.status}, holds no reply`);
  } catch (error) {
    // The client that has cancelled a call expects no answer.
    if (call.signal.aborted || isAnswered) return;
    const cause = error.cause?.code === undefined ? '' : ` (${error.cause.code})`;
    refuse(message, `Waymark at ${WAYMARK_URL} did not answer: ${error.message}${cause}`);
  } finally {
    waiting.delete(message.id);
  }
}

/** Lines end with a line feed alone: JSON may hold the other characters that readline takes for an end. */
async function* linesOf(stream) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The data of the events of a stream. */
async function* eventsOf(stream) {
  for await (const event of linesOf(stream)) if (event.startsWith('data:')) yield event.slice(5);
}

/** Writes an answer. One that is no JSON-RPC, such as that to a wrong key, becomes an error of the call. @returns whether it ends the call. */
function pass(message, text) {
  const reply = JSON.parse(text);
  if (reply.jsonrpc !== '2.0') {
    refuse(message, `${reply.code}: ${reply.message}`);
    return true;
  }
  if (message.method === 'initialize') agreedVersion = reply.result?.protocolVersion;
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  return reply.id === message.id;
}

/** Notifications have no id, and no answer. */
function refuse(message, text) {
  if (message.id === undefined) return process.stderr.write(`${text}\n`);
  fail(message.id, -32_000, text);
}

function fail(id, code, message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
}

/** @returns undefined where a line is no object of JSON. */
function parse(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

function headersOf({ method, params }) {
  const version = params?._meta?.[protocolVersionKey];
  const name = params?.name ?? params?.uri ?? params?.taskId;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': WAYMARK_API_KEY,
    ...((version ?? agreedVersion) ? { 'mcp-protocol-version': version ?? agreedVersion } : {}),
    ...(session && !version ? { 'mcp-session-id': session } : {}),
    ...(version ? { 'mcp-method': method } : {}),
    ...(version && name ? { 'mcp-name': spell(name) } : {}),
  };
}

/** A header holds ASCII alone: other names are sent in base64, as the protocol has it. */
function spell(name) {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}
