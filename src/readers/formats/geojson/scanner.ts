/** What the scanner reports. Positions are indexes into the chunk being pushed; depth counts the containers around a value. */
export interface ScanHandler {
  /** A value begins with `byte` at `position`; called for depths 0 to 2. */
  valueStart(depth: number, byte: number, position: number): void;
  /** The value that began at this depth ended just before `position`. */
  valueEnd(depth: number, position: number): void;
  /** The opening quote of a member name of the outermost object. */
  keyStart(position: number): void;
  /** Just after the closing quote of that name. */
  keyEnd(position: number): void;
  /**
   * A record separator at depth 0, or a value after another one there; `separated` says whether a line feed or record
   * separator stands between them.
   */
  nextText(separated: boolean, position: number): void;
  /** The text breaks the JSON grammar. */
  fault(fault: ScanFault): never;
}

export interface ScanFault {
  readonly code: 'invalid_json' | 'nesting_too_deep' | 'truncated';
  readonly wanted: string;
  /** The offending byte, or null at the end of the text. */
  readonly byte: number | null;
  readonly position: number;
}

/** Deepest nesting of arrays and objects the scanner follows. */
export const MAX_DEPTH = 64;

const [START, BOM2, BOM3, VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, AFTER, TOP, LITERAL] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
const [STRING, ESCAPE, HEX] = [11, 12, 13];
const [MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS] = [
  14, 15, 16, 17, 18, 19, 20, 21,
];

const WANTED: readonly string[] = [
  'an object or array',
  'the rest of a byte order mark',
  'the rest of a byte order mark',
  'a value',
  'a value or ]',
  'a member name in double quotes',
  'a member name in double quotes or }',
  'a colon',
  'a comma or the closing bracket',
  'nothing after the end',
  'true, false or null',
  'the rest of a string (control characters must be escaped)',
  'one of "\\/bfnrtu after a backslash',
  'four hexadecimal digits after \\u',
  'a digit after the minus sign',
  'the end of the number (no digits may follow a leading 0)',
  'the rest of a number',
  'a digit after the decimal point',
  'the rest of a number',
  'a digit or sign after the exponent mark',
  'a digit after the sign of the exponent',
  'the rest of a number',
];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const LINE_FEED = 0x0a;
const RECORD_SEPARATOR = 0x1e;
const REPORTED_DEPTH = 2;

/** 1 for the bytes that stop a run inside a string: the quote, the backslash and the control characters. */
const STOPS_STRING = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte < 0x20 || byte === QUOTE || byte === BACKSLASH),
);
const IS_SPACE = byteSet(' \t\n\r');
const IS_HEX = byteSet('0123456789abcdefABCDEF');
const IS_ESCAPE = byteSet('"\\/bfnrt');
const LITERALS: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), new TextEncoder().encode(word)]),
);

/**
 * Follows the grammar of JSON (RFC 8259) over UTF-8 bytes that come in chunks of any size and reports where the outer
 * values begin and end. It accepts exactly what `JSON.parse` accepts, nested at most `MAX_DEPTH` deep, plus a byte
 * order mark and, where the handler allows it, several texts after one another. Encoding is checked elsewhere.
 */
export class GeojsonScanner {
  readonly #handler: ScanHandler;
  readonly #containers = new Uint8Array(MAX_DEPTH);
  #depth = 0;
  #state = START;
  #isKey = false;
  #literal: Uint8Array = new Uint8Array(0);
  /** Letters of the literal or hexadecimal digits of the escape seen so far. */
  #matched = 0;
  #separated = false;
  #linesBefore = 0;
  #bytesBefore = 0;

  constructor(handler: ScanHandler) {
    this.#handler = handler;
  }

  /** Bytes of all chunks that were pushed to their end. */
  get bytesBefore(): number {
    return this.#bytesBefore;
  }

  /** The line, from 1, that holds `position` of the chunk being pushed. */
  lineAt(chunk: Uint8Array, position: number): number {
    let line = this.#linesBefore + 1;
    for (let i = chunk.indexOf(LINE_FEED); i !== -1 && i < position; i = chunk.indexOf(LINE_FEED, i + 1)) line += 1;
    return line;
  }

  push(chunk: Uint8Array): void {
    this.#scan(chunk);
    this.#linesBefore = this.lineAt(chunk, chunk.length) - 1;
    this.#bytesBefore += chunk.length;
  }

  /** Call once after the last chunk. */
  finish(): void {
    const state = this.#state;
    const endsNumber = state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT_DIGITS;
    if (endsNumber && this.#depth === 0) {
      this.#state = TOP;
      this.#handler.valueEnd(0, 0);
    } else if (state !== TOP) {
      this.#handler.fault({ code: 'truncated', wanted: WANTED[state], byte: null, position: 0 });
    }
  }

  #scan(chunk: Uint8Array): void {
    const handler = this.#handler;
    const containers = this.#containers;
    const length = chunk.length;
    let state = this.#state;
    let depth = this.#depth;
    let i = 0;
    while (i < length) {
      const byte = chunk[i];
      switch (state) {
        case STRING: {
          let end = i;
          while (end < length && STOPS_STRING[chunk[end]] === 0) end += 1;
          i = end + 1;
          if (end === length) break;
          if (chunk[end] === BACKSLASH) state = ESCAPE;
          else if (chunk[end] !== QUOTE) this.#reject(state, chunk[end], end);
          else if (this.#isKey) {
            state = COLON;
            if (depth === 1) handler.keyEnd(i);
          } else {
            state = depth === 0 ? TOP : AFTER;
            if (depth <= REPORTED_DEPTH) handler.valueEnd(depth, i);
          }
          break;
        }
        case INTEGER:
        case FRACTION:
        case EXPONENT_DIGITS: {
          let end = i;
          while (end < length && (chunk[end] - 0x30) >>> 0 < 10) end += 1;
          i = end;
          if (end === length) break;
          const next = chunk[end];
          if (next === 0x2e && state === INTEGER) {
            state = POINT;
            i += 1;
          } else if ((next | 0x20) === 0x65 && state !== EXPONENT_DIGITS) {
            state = EXPONENT;
            i += 1;
          } else {
            state = depth === 0 ? TOP : AFTER;
            if (depth <= REPORTED_DEPTH) handler.valueEnd(depth, end);
          }
          break;
        }
        case AFTER:
          i += 1;
          if (byte === 0x2c) {
            state = containers[depth - 1] === OPEN_OBJECT ? KEY : VALUE;
          } else if (byte === containers[depth - 1] + 2) {
            depth -= 1;
            state = depth === 0 ? TOP : AFTER;
            if (depth <= REPORTED_DEPTH) handler.valueEnd(depth, i);
          } else if (IS_SPACE[byte] === 0) this.#reject(state, byte, i - 1);
          break;
        case START:
        case VALUE:
        case VALUE_OR_END:
        case TOP:
          if (IS_SPACE[byte] === 1) {
            if (byte === LINE_FEED && depth === 0) this.#separated = true;
            i += 1;
            break;
          }
          if (state === VALUE_OR_END && byte === 0x5d) {
            state = AFTER;
            break;
          }
          if (depth === 0) {
            if (byte === 0xef && this.#bytesBefore + i === 0) {
              state = BOM2;
              i += 1;
              break;
            }
            if (byte === RECORD_SEPARATOR) {
              this.#separated = true;
              handler.nextText(true, i);
              i += 1;
              break;
            }
            if (state === TOP) handler.nextText(this.#separated, i);
            this.#separated = false;
          }
          if (depth <= REPORTED_DEPTH) handler.valueStart(depth, byte, i);
          if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
            if (depth === MAX_DEPTH) this.#tooDeep(byte, i);
            containers[depth] = byte;
            depth += 1;
            state = byte === OPEN_OBJECT ? KEY_OR_END : VALUE_OR_END;
          } else if (byte === QUOTE) {
            state = STRING;
            this.#isKey = false;
          } else if (byte === 0x30) state = ZERO;
          else if ((byte - 0x31) >>> 0 < 9) state = INTEGER;
          else if (byte === 0x2d) state = MINUS;
          else {
            const literal = LITERALS.get(byte);
            if (literal === undefined) this.#reject(state, byte, i);
            this.#literal = literal;
            this.#matched = 1;
            state = LITERAL;
          }
          i += 1;
          break;
        case KEY:
        case KEY_OR_END:
          if (byte === QUOTE) {
            state = STRING;
            this.#isKey = true;
            if (depth === 1) handler.keyStart(i);
          } else if (byte === 0x7d && state === KEY_OR_END) {
            state = AFTER;
            break;
          } else if (IS_SPACE[byte] === 0) this.#reject(state, byte, i);
          i += 1;
          break;
        case COLON:
          if (byte === 0x3a) state = VALUE;
          else if (IS_SPACE[byte] === 0) this.#reject(state, byte, i);
          i += 1;
          break;
        case ZERO:
          if (byte === 0x2e) {
            state = POINT;
            i += 1;
          } else if ((byte | 0x20) === 0x65) {
            state = EXPONENT;
            i += 1;
          } else if ((byte - 0x30) >>> 0 < 10) this.#reject(state, byte, i);
          else {
            state = depth === 0 ? TOP : AFTER;
            if (depth <= REPORTED_DEPTH) handler.valueEnd(depth, i);
          }
          break;
        default:
          state = this.#rareStep(state, byte, i);
          i += 1;
          if (state === AFTER) {
            if (depth === 0) state = TOP;
            if (depth <= REPORTED_DEPTH) handler.valueEnd(depth, i);
          }
      }
    }
    this.#state = state;
    this.#depth = depth;
  }

  /** The states that take one byte and are met too seldom for the loop above; returns `AFTER` when a literal is complete. */
  #rareStep(state: number, byte: number, position: number): number {
    const isDigit = (byte - 0x30) >>> 0 < 10;
    if (state === ESCAPE) {
      this.#matched = 0;
      if (byte === 0x75) return HEX;
      if (IS_ESCAPE[byte] === 1) return STRING;
    } else if (state === HEX && IS_HEX[byte] === 1) {
      this.#matched += 1;
      return this.#matched === 4 ? STRING : HEX;
    } else if (state === LITERAL && byte === this.#literal[this.#matched]) {
      this.#matched += 1;
      return this.#matched === this.#literal.length ? AFTER : LITERAL;
    } else if (state === MINUS && isDigit) return byte === 0x30 ? ZERO : INTEGER;
    else if (state === POINT && isDigit) return FRACTION;
    else if ((state === EXPONENT || state === EXPONENT_SIGN) && isDigit) return EXPONENT_DIGITS;
    else if (state === EXPONENT && (byte === 0x2b || byte === 0x2d)) return EXPONENT_SIGN;
    else if (state === BOM2 && byte === 0xbb) return BOM3;
    else if (state === BOM3 && byte === 0xbf) return START;
    return this.#reject(state, byte, position);
  }

  #reject(state: number, byte: number, position: number): never {
    return this.#handler.fault({ code: 'invalid_json', wanted: WANTED[state], byte, position });
  }

  #tooDeep(byte: number, position: number): never {
    return this.#handler.fault({
      code: 'nesting_too_deep',
      wanted: `at most ${MAX_DEPTH} levels of nesting`,
      byte,
      position,
    });
  }
}

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}
