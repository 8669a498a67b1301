import {
  constants,
  createInflate,
  createZstdDecompress,
  deflateSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

/**
 * Decodes `bytes` into `out`; returns how many bytes that gave. Throws when they do not decode, or `out` is too small.
 * `front`: as many bytes before `bytes` in its buffer are free to be written while this runs, and so are `bytes`; all are put
 * back. Default 0.
 */
export type DecodeInto = (bytes: Uint8Array, out: Uint8Array, front?: number) => number;

/**
 * Fills `out` with the first bytes that `bytes` decode to; returns how many it gave, which is fewer where `bytes` end before that
 * or hold fewer. What follows in `bytes` is not looked at. Throws when they do not decode.
 * `room`: begins where `out` does, holds all that `bytes` decode to, and may be written to its end; then less is copied. Default `out`.
 */
export type DecodeFirst = (bytes: Uint8Array, out: Uint8Array, room?: Uint8Array) => number;

/** The part of a zlib stream of Node that is used here; it is the same in all its versions since 11, but undocumented. */
interface Engine {
  readonly _handle?: EngineHandle;
  /** What was left after `writeSync`: room in the output, and bytes of the input. */
  readonly _writeState?: Uint32Array;
}

interface EngineHandle {
  reset(): void;
  writeSync(
    flush: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    out: Uint8Array,
    at: number,
    room: number,
  ): void;
  /** Of zstd since Node 26: what a stream calls with its parameters by number, and where to leave `_writeState`. */
  init?(params: Uint32Array, size: undefined, left: Uint32Array, onDone: () => void): void;
}

/** Gives out what there is. To zlib it says no more than that, and a block that is cut off shows in its length; to zstd that this is the end. */
const FLUSH = 2;
/** Says that more bytes may follow. */
const { Z_SYNC_FLUSH, ZSTD_e_continue } = constants;

/**
 * Node's own decoders, made to write into memory that is already there. The documented functions take new memory for
 * every block and clear it in the kernel, which costs half as much again as decoding: 64 blocks of 1 MB take 110 ms
 * with them and a copy to their place, 73 ms so. Where Node's streams are built differently, the documented functions do it.
 */
export const DECODE_INTO = {
  deflate: openDecoder(createInflate, Z_SYNC_FLUSH, deflateSync, (bytes, out) =>
    take(inflateSync(bytes, limits(out)), out),
  ),
  zstd: atOnce(
    openDecoder(createZstd, ZSTD_e_continue, zstdCompressSync, (bytes, out) =>
      take(zstdDecompressSync(bytes, limits(out)), out),
    ),
  ),
} as const satisfies Readonly<Record<string, Decoder>>;

interface Decoder {
  readonly fast: DecodeInto;
  readonly plain: DecodeInto;
  /** Null where Node's streams are built differently: its documented functions decode all or nothing. */
  readonly first: () => DecodeFirst | null;
}

/** A frame without its length may require a window of its own, which the engine would keep: 16 MB are enough for any level but the highest. */
const WINDOW_LOG = 24;

function createZstd(): unknown {
  return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } });
}

/** `ZSTD_d_stableOutBuffer` of zstd.h: the output stays where it is until the frame ends, so it is its own window. */
const STABLE_OUTPUT = 1001;

/** As `createZstd`, but decodes into the output without a window of its own. Without a handle where Node's streams are built differently. */
function createDirectZstd(): Engine {
  const { _handle: plain } = createZstd() as Engine;
  const { init } = plain ?? {};
  if (plain === undefined || init === undefined) return {};
  const handle = new (plain.constructor as new () => Required<EngineHandle>)();
  const params = new Uint32Array(STABLE_OUTPUT + 1).fill(2 ** 32 - 1);
  params[constants.ZSTD_d_windowLogMax] = WINDOW_LOG;
  params[STABLE_OUTPUT] = 1;
  const left = new Uint32Array(2);
  handle.init(params, undefined, left, () => {});
  return { _handle: handle, _writeState: left };
}

function openDecoder(
  create: () => unknown,
  goOn: number,
  encode: (bytes: Uint8Array) => Uint8Array,
  plain: DecodeInto,
): Decoder {
  let opened: OpenedEngine | null | undefined;
  const open = (): OpenedEngine | null => {
    const engine = openEngine(create() as Engine, goOn);
    return engine !== null && survivesDamage(engine.all, encode(SAMPLE)) ? engine : null;
  };
  const engine = (): OpenedEngine | null => (opened === undefined ? (opened = open()) : opened);
  return {
    plain,
    fast: (bytes, out) => (engine()?.all ?? plain)(bytes, out),
    first: () => engine()?.first ?? null,
  };
}

/** Bytes of the header of a frame that says nothing of its length, and of one that says it. */
const BARE_HEADER = 6;
const SIZED_HEADER = 9;
/** What `bytes` must have in front of them to be decoded at once. */
const ZSTD_FRONT = SIZED_HEADER - BARE_HEADER;
const ZSTD_MAGIC = 0xfd2f_b528;
/** Flag of a frame's descriptor: a checksum of the content follows it. */
const HAS_CHECKSUM = 4;
/** Flags: one segment, whose length follows in 4 bytes. */
const ONE_SEGMENT = 0xa0;

/**
 * GDAL writes frames that do not say how long their content is. The decoder then goes through a window of 4 MB of its own and copies
 * out of it; an eighth less time is spent on a frame whose header says the length, which is known here (RFC 8878, section
 * 3.1.1). Its window is not needed then, whatever its size is said to be. A frame that is shorter or damaged after all is decoded as it is.
 */
function atOnce({ fast, plain, first: throughWindow }: Decoder): Decoder {
  let opened: DecodeFirst | null | undefined;
  const first = (): DecodeFirst | null => (opened === undefined ? (opened = openDirect(throughWindow())) : opened);
  function decodeSized(bytes: Uint8Array, out: Uint8Array): number | null {
    const { buffer, byteOffset, length } = bytes;
    const sized = new Uint8Array(buffer, byteOffset - ZSTD_FRONT, length + ZSTD_FRONT);
    const before = sized.slice(0, SIZED_HEADER);
    const header = new DataView(sized.buffer, sized.byteOffset, SIZED_HEADER);
    header.setUint32(0, ZSTD_MAGIC, true);
    header.setUint8(4, ONE_SEGMENT | (before[ZSTD_FRONT + 4] & HAS_CHECKSUM));
    header.setUint32(5, out.length, true);
    try {
      return fast(sized, out);
    } catch {
      return null;
    } finally {
      sized.set(before);
    }
  }
  return {
    plain,
    first,
    fast(bytes, out, front = 0) {
      const decoded = front >= ZSTD_FRONT && isBare(bytes) ? decodeSized(bytes, out) : null;
      return decoded === out.length ? decoded : fast(bytes, out);
    },
  };
}

/** Most bytes that one block of a frame decodes to; GDAL's blocks decode to as many, but for the last. */
const ZSTD_BLOCK = 131_072;

/**
 * Through a window, the decoder decodes one block of a frame more than was wanted, and copies all of them once more: a fourth to a half of the time. With
 * room for all of its content a frame is decoded in its place, and so many of its blocks are given to the decoder as should suffice.
 */
function openDirect(throughWindow: DecodeFirst | null): DecodeFirst | null {
  if (throughWindow === null) return null;
  const engine = openEngine(createDirectZstd(), ZSTD_e_continue);
  if (engine === null || !survivesDamage(engine.first, zstdCompressSync(SAMPLE, UNSIZED))) return throughWindow;
  // Blocks of a frame may be shorter; then all that there is of it is given to the decoder, from the next frame on at once.
  let areShort = false;
  return (bytes, out, room = out) => {
    if (room.length < out.length + ZSTD_BLOCK || !isBare(bytes)) return throughWindow(bytes, out);
    const part = areShort ? bytes : firstBlocks(bytes, Math.ceil(out.length / ZSTD_BLOCK));
    const decoded = engine.first(part, room);
    if (decoded >= out.length || part.length === bytes.length) return Math.min(decoded, out.length);
    areShort = true;
    return Math.min(engine.first(bytes, room), out.length);
  };
}

/** Leaves the length of the content out of a frame's header. */
const UNSIZED = { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } };

/** A bare frame up to the end of its block with that number, or all that there is of it. */
function firstBlocks(frame: Uint8Array, count: number): Uint8Array {
  let at = BARE_HEADER;
  for (let block = 0; block < count && at + 3 <= frame.length; block++) {
    const header = frame[at] | (frame[at + 1] << 8) | (frame[at + 2] << 16);
    const isRun = ((header >> 1) & 3) === 1;
    at += 3 + (isRun ? 1 : header >> 3);
    if ((header & 1) === 1) break;
  }
  return frame.subarray(0, at);
}

/** Whether a frame has nothing in its header but the size of its window, and perhaps a checksum at its end. */
function isBare(bytes: Uint8Array): boolean {
  if (bytes.length < SIZED_HEADER) return false;
  const header = new DataView(bytes.buffer, bytes.byteOffset, BARE_HEADER);
  return header.getUint32(0, true) === ZSTD_MAGIC && (header.getUint8(4) & ~HAS_CHECKSUM) === 0;
}

const SAMPLE = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

/** Before Node 26 a reset does not make a zstd stream forget bytes that were damaged: every block after them would fail. */
function survivesDamage(decode: (bytes: Uint8Array, out: Uint8Array) => number, encoded: Uint8Array): boolean {
  const out = new Uint8Array(SAMPLE.length);
  try {
    for (const damaged of [encoded.subarray(0, -3), Uint8Array.of(9, 9, 9, 9, 9, 9)]) {
      try {
        decode(damaged, out);
      } catch {
        // That it is refused is right.
      }
    }
    return decode(encoded, out) === SAMPLE.length && out.every((byte, at) => byte === SAMPLE[at]);
  } catch {
    return false;
  }
}

interface OpenedEngine {
  readonly all: DecodeInto;
  readonly first: DecodeFirst;
}

/** One engine a thread: runs never overlap, because a run is synchronous. Null when the stream has other parts. */
function openEngine({ _handle: handle, _writeState: left }: Engine, goOn: number): OpenedEngine | null {
  if (typeof handle?.writeSync !== 'function' || typeof handle.reset !== 'function' || left?.length !== 2) return null;
  const rest = new Uint8Array(1);
  let fault: string | null = null;
  Object.assign(handle, { onerror: (message: string) => (fault = message) });

  function write(flush: number, bytes: Uint8Array, out: Uint8Array): number {
    handle?.writeSync(flush, bytes, 0, bytes.length, out, 0, out.length);
    if (fault !== null) throw new Error(fault);
    return out.length - (left?.[0] ?? 0);
  }

  function begin(flush: number, bytes: Uint8Array, out: Uint8Array): number {
    fault = null;
    handle?.reset();
    return write(flush, bytes, out);
  }

  return {
    first: (bytes, out) => begin(goOn, bytes, out),
    all(bytes, out) {
      const decoded = begin(FLUSH, bytes, out);
      // What does not fit shows as input that is left, or as output that the decoder still holds.
      const isFull = decoded === out.length;
      const unread = left[1];
      if (isFull && (unread > 0 || write(FLUSH, rest.subarray(1), rest) > 0))
        throw new Error(`more than ${out.length} bytes`);
      return decoded;
    },
  };
}

/** One piece of output large enough for all of it is neither grown nor joined; `maxOutputLength` stops bombs. */
function limits(out: Uint8Array) {
  return { chunkSize: out.length + 64, maxOutputLength: out.length };
}

function take(decoded: Uint8Array, out: Uint8Array): number {
  out.set(decoded);
  return decoded.length;
}
