import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/** Records of a name, or how asking for it fails: `silent` gives no answer at all. A TXT record may be several strings. */
export type DnsAnswer =
  | {
      A?: string[];
      AAAA?: string[];
      TXT?: (string | string[])[];
      CNAME?: string;
      isZone?: boolean;
      truncated?: boolean;
    }
  | 'servfail'
  | 'refused'
  | 'silent';

/** A question that was asked. */
export interface DnsQuestion {
  name: string;
  type: string;
  transport: 'udp' | 'tcp';
}

/** A DNS server on a free port of 127.0.0.1. Names that it does not know do not exist. */
export interface FakeDns extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  address: string;
  questions: DnsQuestion[];
  /** Sets what a name answers from now on; a function is asked anew for each question. `undefined`: the name is gone. */
  set(name: string, answer: DnsAnswer | ((question: DnsQuestion) => DnsAnswer) | undefined): void;
}

const types: Record<number, string> = { 1: 'A', 5: 'CNAME', 6: 'SOA', 16: 'TXT', 28: 'AAAA' };
const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const headerBytes = 12;

/** Starts a DNS server that answers over UDP and TCP as a resolver would: CNAMEs are followed within its own table. */
export async function startFakeDns(): Promise<FakeDns> {
  const table = new Map<string, DnsAnswer | ((question: DnsQuestion) => DnsAnswer)>();
  const questions: DnsQuestion[] = [];
  const look = (name: string, question: DnsQuestion): DnsAnswer | undefined => {
    const answer = table.get(name.toLowerCase());
    return typeof answer === 'function' ? answer(question) : answer;
  };
  const answer = (query: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined => {
    const { name, type, end } = readQuestion(query);
    const question = { name: name.toLowerCase(), type: types[type] ?? String(type), transport };
    questions.push(question);
    const found = look(name, question);
    if (found === 'silent') return undefined;
    if (found === 'servfail') return reply(query, end, codes.SERVFAIL, []);
    if (found === 'refused') return reply(query, end, codes.REFUSED, []);
    if (found === undefined) return reply(query, end, codes.NXDOMAIN, []);
    if (found.truncated === true && transport === 'udp') return reply(query, end, codes.NOERROR, [], true);
    const records: Buffer[] = [];
    let owner = name;
    let current: DnsAnswer | undefined = found;
    for (let hops = 0; typeof current === 'object' && current.CNAME !== undefined && hops < 8; hops += 1) {
      records.push(record(owner, 5, encodeName(current.CNAME)));
      if (question.type === 'CNAME') break;
      owner = current.CNAME;
      current = look(owner, question);
    }
    if (typeof current === 'object') records.push(...recordsOf(owner, current, question.type));
    return reply(query, end, current === undefined ? codes.NXDOMAIN : codes.NOERROR, records);
  };

  const { tcp, udp, port } = await listen(answer);
  return {
    address: `127.0.0.1:${port}`,
    questions,
    set: (name, value) => void (value === undefined ? table.delete(name) : table.set(name.toLowerCase(), value)),
    async [Symbol.asyncDispose]() {
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise((resolve) => tcp.close(resolve)),
      ]);
    },
  };
}

type Answer = (query: Buffer, transport: 'udp' | 'tcp') => Buffer | undefined;

/** UDP and TCP on one port, free for both. */
async function listen(answer: Answer): Promise<{ tcp: Server; udp: Socket; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = createServer((socket) => {
      let received = Buffer.alloc(0);
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
          const length = received.readUInt16BE(0);
          const message = answer(received.subarray(2, 2 + length), 'tcp');
          received = received.subarray(2 + length);
          if (message === undefined) continue;
          socket.write(Buffer.concat([uint16(message.length), message]));
        }
      });
    });
    await new Promise<void>((resolve, reject) => tcp.once('error', reject).listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as { port: number };
    const udp = createSocket('udp4');
    udp.on('message', (query, { address, port: from }) => {
      const message = answer(query, 'udp');
      if (message !== undefined) udp.send(message, from, address);
    });
    try {
      await new Promise<void>((resolve, reject) => udp.once('error', reject).bind(port, '127.0.0.1', resolve));
      return { tcp, udp, port };
    } catch (error) {
      tcp.close();
      if (attempt === 10) throw error;
    }
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  while (query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(query: Buffer, end: number, code: number, records: Buffer[], truncated = false): Buffer {
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  // QR, RD as asked, RA; TC where truncated.
  header.writeUInt16BE(0x8080 | (query.readUInt16BE(2) & 0x0100) | (truncated ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records]);
}

function recordsOf(owner: string, answer: Exclude<DnsAnswer, string>, type: string): Buffer[] {
  if (type === 'A') return (answer.A ?? []).map((ip) => record(owner, 1, Buffer.from(ip.split('.').map(Number))));
  if (type === 'AAAA') return (answer.AAAA ?? []).map((ip) => record(owner, 28, encodeIpv6(ip)));
  if (type === 'TXT') return (answer.TXT ?? []).map((text) => record(owner, 16, encodeText(text)));
  if (type === 'SOA' && answer.isZone === true) return [record(owner, 6, encodeSoa(owner))];
  return [];
}

/** Name server, mailbox, serial and the four times of a zone. */
function encodeSoa(zone: string): Buffer {
  const times = Buffer.alloc(20);
  return Buffer.concat([encodeName(`ns.${zone}`), encodeName(`admin.${zone}`), times]);
}

function record(owner: string, type: number, data: Buffer): Buffer {
  // Class IN, and a lifetime long enough to show a resolver that caches.
  const fixed = Buffer.concat([uint16(type), uint16(1), uint16(0), uint16(300), uint16(data.length)]);
  return Buffer.concat([encodeName(owner), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]), Buffer.of(0)]);
}

function encodeText(text: string | string[]): Buffer {
  if (typeof text !== 'string') return Buffer.concat(text.map(encodeText));
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.of(part.length), part);
  }
  return Buffer.concat(parts);
}

function encodeIpv6(text: string): Buffer {
  // The URL parser knows every notation; what it prints has no dotted part.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const left = words(head);
  const right = tail === undefined ? [] : words(tail);
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return Buffer.concat([...left, ...middle, ...right].map(uint16));
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
