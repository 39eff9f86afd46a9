// The values of D-Bus as bytes, little endian: those that a service of notifications needs.

type Field = readonly [code: number, type: string, value: string | number | undefined];

export class DbusWriter {
  readonly #bytes: number[] = [];

  get bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  align(size: number): this {
    while (this.#bytes.length % size !== 0) this.#bytes.push(0);
    return this;
  }

  byte(value: number): this {
    this.#bytes.push(value);
    return this;
  }

  uint32(value: number): this {
    this.align(4);
    for (let shift = 0; shift < 32; shift += 8) this.#bytes.push((value >>> shift) & 255);
    return this;
  }

  string(text: string): this {
    const utf8 = Buffer.from(text);
    this.uint32(utf8.length);
    this.#bytes.push(...utf8, 0);
    return this;
  }

  signature(text: string): this {
    this.#bytes.push(text.length, ...Buffer.from(text), 0);
    return this;
  }

  strings(texts: readonly string[]): this {
    const items = new DbusWriter();
    for (const each of texts) items.string(each);
    this.uint32(items.bytes.length);
    this.#bytes.push(...items.bytes);
    return this;
  }

  /** The array of structs after the first twelve bytes of a message. */
  headerFields(fields: readonly Field[]): this {
    const items = new DbusWriter();
    for (const [code, type, value] of fields) {
      if (value === undefined) continue;
      items.align(8).byte(code).signature(type);
      if (type === 'u') items.uint32(Number(value));
      else if (type === 'g') items.signature(String(value));
      else items.string(String(value));
    }
    this.uint32(items.bytes.length);
    this.#bytes.push(...items.bytes);
    return this;
  }
}

export class DbusReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  #align(size: number): void {
    this.#at = Math.ceil(this.#at / size) * size;
  }

  uint32(): number {
    this.#align(4);
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  string(): string {
    return this.#text(this.uint32());
  }

  #signature(): string {
    this.#at += 1;
    return this.#text(this.#bytes[this.#at - 1] ?? 0);
  }

  #text(length: number): string {
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length);
    this.#at += length + 1;
    return text;
  }

  strings(): readonly string[] {
    const length = this.uint32();
    const end = this.#at + length;
    const texts: string[] = [];
    while (this.#at < end) texts.push(this.string());
    return texts;
  }

  headerFields(): ReadonlyMap<number, string | number> {
    const length = this.uint32();
    const end = this.#at + length;
    const fields = new Map<number, string | number>();
    while (this.#at < end) {
      this.#align(8);
      const code = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      const type = this.#signature();
      if (type === 'u') fields.set(code, this.uint32());
      else fields.set(code, type === 'g' ? this.#signature() : this.string());
    }
    return fields;
  }
}
