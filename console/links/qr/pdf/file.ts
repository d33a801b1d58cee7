// A PDF of one page, as plain as the format allows (ISO 32000-1, 7.5).

/** An object of the file: its text, and what follows it as bytes. */
interface PdfObject {
  /** Entries of its dictionary. */
  entries: string;
  stream?: Uint8Array;
}

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

export class PdfFile {
  readonly #objects: PdfObject[] = [];

  /** @returns the reference of the object. */
  add(entries: string, stream?: Uint8Array): string {
    this.#objects.push({ entries, ...(stream === undefined ? {} : { stream }) });
    return `${String(this.#objects.length)} 0 R`;
  }

  /** Adds a stream, compressed. */
  async addStream(entries: string, content: Uint8Array | string): Promise<string> {
    const plain = typeof content === 'string' ? latin1(content) : content;
    const packed = new Blob([new Uint8Array(plain)]).stream().pipeThrough(new CompressionStream('deflate'));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    return this.add(`${entries} /Filter /FlateDecode /Length ${String(bytes.length)}`, bytes);
  }

  /** The file, whose catalog is the object of a reference. */
  bytes(catalog: string): Uint8Array {
    const parts: Uint8Array[] = [];
    const offsets: number[] = [];
    let length = 0;
    const write = (part: string | Uint8Array): void => {
      const bytes = typeof part === 'string' ? latin1(part) : part;
      parts.push(bytes);
      length += bytes.length;
    };
    write('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n');
    for (const [index, { entries, stream }] of this.#objects.entries()) {
      offsets.push(length);
      write(`${String(index + 1)} 0 obj\n<< ${entries} >>\n`);
      if (stream !== undefined) {
        write('stream\n');
        write(stream);
        write('\nendstream\n');
      }
      write('endobj\n');
    }
    const start = length;
    const count = String(offsets.length + 1);
    write(`xref\n0 ${count}\n0000000000 65535 f \n`);
    for (const offset of offsets) write(`${String(offset).padStart(10, '0')} 00000 n \n`);
    write(`trailer\n<< /Size ${count} /Root ${catalog} >>\nstartxref\n${String(start)}\n%%EOF\n`);
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}
