/** Walks over the fields of a protobuf message. Every read is checked: bytes that end early throw a `RangeError`. */
export class ProtobufReader {
  readonly bytes: Uint8Array;
  at: number;
  end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** The next field's number and wire type as `number * 8 + type`, or 0 at the end of the message. */
  next(): number {
    return this.at < this.end ? this.varint() : 0;
  }

  /** An unsigned number, exact below 2^53. */
  varint(): number {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at++];
    let value = byte & 0x7f;
    if (byte >= 0x80) {
      byte = bytes[at++];
      value |= (byte & 0x7f) << 7;
      if (byte >= 0x80) {
        byte = bytes[at++];
        value |= (byte & 0x7f) << 14;
        if (byte >= 0x80) {
          byte = bytes[at++];
          value |= (byte & 0x7f) << 21;
          if (byte >= 0x80) {
            let scale = 2 ** 28;
            do {
              byte = bytes[at++];
              value += (byte & 0x7f) * scale;
              scale *= 128;
            } while (byte >= 0x80 && scale < 2 ** 70);
          }
        }
      }
    }
    if (at > this.end || byte === undefined) throw new RangeError('a number reaches past the end of its message');
    this.at = at;
    return value;
  }

  /** A signed number in zigzag form. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** The end of a field with a length; reading goes on inside it. */
  enter(): number {
    const length = this.varint();
    const end = this.at + length;
    if (end > this.end) throw new RangeError('a field reaches past the end of its message');
    return end;
  }

  /** A field's message as a reader of its own; this one goes on after it. */
  message(): ProtobufReader {
    const end = this.enter();
    const inner = new ProtobufReader(this.bytes, this.at, end);
    this.at = end;
    return inner;
  }

  data(): Uint8Array {
    const end = this.enter();
    const data = this.bytes.subarray(this.at, end);
    this.at = end;
    return data;
  }

  skip(tag: number): void {
    const type = tag & 7;
    if (type === 0) this.varint();
    else if (type === 2) this.at = this.enter();
    else if (type === 1) this.at += 8;
    else if (type === 5) this.at += 4;
    else throw new RangeError(`there is no wire type ${type}`);
  }
}

/** The tag of a field, as `next` gives it: its number and whether it has a length. */
export function fieldTag(number: number, type: 0 | 2): number {
  return number * 8 + type;
}
