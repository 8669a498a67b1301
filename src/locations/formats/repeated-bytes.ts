/** Bytes that a part is given room for at first. */
const FIRST_BYTES = 65_536;
/** UTF-8 has no more bytes for a unit of UTF-16. */
const BYTES_OF_UNIT = 3;
/** Bytes from which on one call that copies costs less than a loop. */
const LONG_COPY = 48;

/** JSON in UTF-8 of records of which most of one is what the record before said, and is copied from there. */
interface RepeatedBytes {
  /**
   * A value of JSON with the text before it. The text may be any, but is part of what is compared: constants and texts that are kept
   * are compared fastest. A value that JSON leaves out is null.
   */
  member(head: string, value: unknown): void;
  /** Text alone, in the same way. */
  text(head: string): void;
  /** Ends a record. */
  endRecord(): void;
  /** Text between records; ASCII. */
  addText(text: string): void;
  /** All that was added, in memory of its own; nothing is kept. */
  take(): Uint8Array<ArrayBuffer>;
}

/** In place of a value: there is none. */
const NOTHING = Symbol('nothing');
/** In place of a value that is written again, because what is in it may have changed. */
const CHANGEABLE = Symbol('changeable');

export function createRepeatedBytes(): RepeatedBytes {
  let out = new Uint8Array(FIRST_BYTES);
  let at = 0;
  /** Members of the record before, and where in `out` they and their values begin; the last of `begins` is where it ends. */
  const heads: string[] = [];
  const values: unknown[] = [];
  const begins: number[] = [];
  const valueBegins: number[] = [];
  let count = 0;
  /** The next member of this record, and the first of those before it that are to be copied; -1: none is. */
  let next = 0;
  let same = -1;

  function room(bytes: number): void {
    const wanted = at + bytes;
    if (wanted <= out.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * out.length));
    larger.set(out.subarray(0, at));
    out = larger;
  }

  function member(head: string, value: unknown): void {
    const i = next++;
    const isKnown = i < count && heads[i] === head;
    if (isKnown && values[i] === value) {
      if (same < 0) same = i;
      return;
    }
    if (isKnown) {
      copy(same < 0 ? i : same, i + 1, valueBegins[i]);
    } else {
      if (same >= 0) copy(same, i, begins[i]);
      heads[i] = head;
      begins[i] = at;
      raw(head);
      valueBegins[i] = at;
    }
    values[i] = typeof value === 'object' && value !== null ? CHANGEABLE : value;
    if (value !== NOTHING) write(value);
  }

  /** Copies the members `from` to `to` of the record before, as far as `end`. */
  function copy(from: number, to: number, end: number): void {
    const begin = begins[from];
    const shift = at - begin;
    room(end - begin);
    if (end - begin >= LONG_COPY) out.copyWithin(at, begin, end);
    else for (let i = begin; i < end; i++) out[i + shift] = out[i];
    for (let i = from; i < to; i++) {
      begins[i] += shift;
      valueBegins[i] += shift;
    }
    at += end - begin;
    same = -1;
  }

  function write(value: unknown): void {
    if (typeof value === 'string') quoted(value);
    else if (typeof value === 'number') number(value);
    else if (value === null) raw('null');
    else encoded(JSON.stringify(value) ?? 'null');
  }

  function raw(text: string): void {
    const { length } = text;
    room(length);
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return encoded(i === 0 ? text : text.slice(i));
      out[at++] = unit;
    }
  }

  /** A text in quotation marks; what has to be escaped is left to JSON. */
  function quoted(text: string): void {
    const { length } = text;
    room(length * BYTES_OF_UNIT + 2);
    const begin = at;
    out[at++] = 0x22;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return escaped(text, begin);
        out[at++] = unit;
      } else if (unit < 0x800) {
        out[at++] = 0xc0 | (unit >> 6);
        out[at++] = 0x80 | (unit & 0x3f);
      } else {
        if (unit >= 0xd800 && unit < 0xe000) return escaped(text, begin);
        out[at++] = 0xe0 | (unit >> 12);
        out[at++] = 0x80 | ((unit >> 6) & 0x3f);
        out[at++] = 0x80 | (unit & 0x3f);
      }
    }
    out[at++] = 0x22;
  }

  function escaped(text: string, begin: number): void {
    at = begin;
    encoded(JSON.stringify(text));
  }

  function encoded(json: string): void {
    room(json.length * BYTES_OF_UNIT);
    at += encoder.encodeInto(json, out.subarray(at)).written;
  }

  function number(value: number): void {
    const millionths = Math.round(value * MILLION);
    // No two decimals of 15 digits are the same number, so that these are the fewest digits which say it: those of JavaScript.
    const isExact = millionths / MILLION === value && millionths !== 0 && Math.abs(millionths) < MOST_EXACT;
    if (isExact) decimal(millionths);
    else raw(Number.isFinite(value) ? String(value) : 'null');
  }

  function decimal(millionths: number): void {
    room(LONGEST_DECIMAL);
    let rest = millionths;
    if (rest < 0) {
      out[at++] = 0x2d;
      rest = -rest;
    }
    let whole = Math.floor(rest / MILLION);
    rest -= whole * MILLION;
    const begin = at;
    do at++;
    while (whole >= POWERS[at - begin]);
    for (let i = at - 1; i >= begin; i--) {
      const tenth = Math.floor(whole / 10);
      out[i] = 0x30 + whole - 10 * tenth;
      whole = tenth;
    }
    if (rest === 0) return;
    out[at++] = 0x2e;
    for (let power = MILLION / 10; rest > 0; power /= 10) {
      const digit = Math.floor(rest / power);
      out[at++] = 0x30 + digit;
      rest -= digit * power;
    }
  }

  return {
    member,
    text: (head) => member(head, NOTHING),
    endRecord() {
      if (same >= 0) copy(same, next, begins[next]);
      count = next;
      begins[count] = at;
      next = 0;
    },
    addText: raw,
    take() {
      const all = out.slice(0, at);
      at = 0;
      count = 0;
      values.length = 0;
      return all;
    },
  };
}

const encoder = new TextEncoder();

const MILLION = 1e6;
/** A double is exact of whole numbers of so many digits. */
const MOST_EXACT = 1e15;
const POWERS = Array.from({ length: 16 }, (_, i) => 10 ** i);
/** A sign, 15 digits and a point, and one more. */
const LONGEST_DECIMAL = 18;
