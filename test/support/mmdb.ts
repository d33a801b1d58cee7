/**
 * Writes a small database in MaxMind's format (version 2.0, 32-bit records), enough for tests: networks of IPv4, or of IPv6
 * (IPv4 in `::/96`), each with a record of strings, numbers, arrays and objects.
 */
export function writeMmdb(networks: Readonly<Record<string, unknown>>, ipVersion: 4 | 6 = 6): Buffer {
  type Node = [left: Node | Data | null, right: Node | Data | null];
  interface Data {
    offset: number;
  }
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const [network, record] of Object.entries(networks)) {
    const encoded = encode(record);
    const leaf: Data = { offset: dataLength };
    data.push(encoded);
    dataLength += encoded.length;
    const bits = bitsOf(network, ipVersion);
    let node = root;
    for (const [index, bit] of bits.entries()) {
      if (index === bits.length - 1) node[bit] = leaf;
      else {
        if (!Array.isArray(node[bit])) node[bit] = [null, null];
        node = node[bit];
      }
    }
  }
  const nodes: Node[] = [];
  const numbers = new Map<Node, number>();
  const visit = (node: Node): void => {
    numbers.set(node, nodes.length);
    nodes.push(node);
    for (const child of node) if (Array.isArray(child)) visit(child);
  };
  visit(root);
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [index, node] of nodes.entries()) {
    for (const [side, child] of node.entries()) {
      let value = nodes.length;
      if (Array.isArray(child)) value = numbers.get(child)!;
      else if (child !== null) value = nodes.length + 16 + child.offset;
      tree.writeUInt32BE(value, index * 8 + side * 4);
    }
  }
  const metadata = encode({
    node_count: nodes.length,
    record_size: 32,
    ip_version: ipVersion,
    database_type: 'Test',
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_900_000_000,
    description: { en: 'Test' },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'), metadata]);
}

/** The bits of a network in CIDR notation, as far as its prefix goes. */
function bitsOf(network: string, ipVersion: 4 | 6): (0 | 1)[] {
  const [address = '', length = ''] = network.split('/');
  const isV4 = address.includes('.');
  const bytes = isV4 ? address.split('.').map(Number) : bytesOfIpv6(address);
  const prefix = isV4 && ipVersion === 6 ? Array.from({ length: 96 }, () => 0 as const) : [];
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, index) => ((byte >> (7 - index)) & 1) as 0 | 1));
  return [...prefix, ...bits.slice(0, Number(length))];
}

function bytesOfIpv6(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return all.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const types = { string: 2, map: 7, uint32: 6, array: 11 };

function encode(value: unknown): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(types.string, bytes.length), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(types.uint32, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(types.array, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as Record<string, unknown>);
  return Buffer.concat([
    control(types.map, entries.length),
    ...entries.flatMap(([key, entry]) => [encode(key), encode(entry)]),
  ]);
}

/** The bytes that begin a field: its type and size (up to 284). */
function control(type: number, size: number): Buffer {
  const first = (type > 7 ? 0 : type) << 5;
  const extended = type > 7 ? [type - 7] : [];
  return size < 29 ? Buffer.from([first | size, ...extended]) : Buffer.from([first | 29, ...extended, size - 29]);
}
