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

/** The part of a zlib stream of Node that is used here; it is the same in all its versions since 11, but undocumented. */
interface Engine {
  readonly _handle?: {
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
  };
  /** What was left after `writeSync`: room in the output, and bytes of the input. */
  readonly _writeState?: Uint32Array;
}

/** Gives out what there is and requires no end of stream: a block that is cut off shows in its length. */
const SYNC_FLUSH = 2;

/**
 * Node's own decoders, made to write into memory that is already there. The documented functions take new memory for
 * every block and clear it in the kernel, which costs half as much again as decoding: 64 blocks of 1 MB take 110 ms
 * with them and a copy to their place, 73 ms so. Where Node's streams are built differently, the documented functions do it.
 */
export const DECODE_INTO = {
  deflate: openDecoder(createInflate, deflateSync, (bytes, out) => take(inflateSync(bytes, limits(out)), out)),
  zstd: atOnce(
    openDecoder(createZstd, zstdCompressSync, (bytes, out) => take(zstdDecompressSync(bytes, limits(out)), out)),
  ),
} as const satisfies Readonly<Record<string, { readonly fast: DecodeInto; readonly plain: DecodeInto }>>;

/** A frame without its length may require a window of its own, which the engine would keep: 16 MB are enough for any level but the highest. */
function createZstd(): unknown {
  return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 24 } });
}

function openDecoder(
  create: () => unknown,
  encode: (bytes: Uint8Array) => Uint8Array,
  plain: DecodeInto,
): { fast: DecodeInto; plain: DecodeInto } {
  let engine: DecodeInto | null = null;
  const open = (): DecodeInto => {
    const opened = openEngine(create() as Engine);
    return opened !== null && survivesDamage(opened, encode(SAMPLE)) ? opened : plain;
  };
  return { plain, fast: (bytes, out) => (engine ??= open())(bytes, out) };
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
function atOnce({ fast, plain }: { fast: DecodeInto; plain: DecodeInto }): { fast: DecodeInto; plain: DecodeInto } {
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
    fast(bytes, out, front = 0) {
      const decoded = front >= ZSTD_FRONT && isBare(bytes) ? decodeSized(bytes, out) : null;
      return decoded === out.length ? decoded : fast(bytes, out);
    },
  };
}

/** Whether a frame has nothing in its header but the size of its window, and perhaps a checksum at its end. */
function isBare(bytes: Uint8Array): boolean {
  if (bytes.length < SIZED_HEADER) return false;
  const header = new DataView(bytes.buffer, bytes.byteOffset, BARE_HEADER);
  return header.getUint32(0, true) === ZSTD_MAGIC && (header.getUint8(4) & ~HAS_CHECKSUM) === 0;
}

const SAMPLE = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

/** Before Node 26 a reset does not make a zstd stream forget bytes that were damaged: every block after them would fail. */
function survivesDamage(decode: DecodeInto, encoded: Uint8Array): boolean {
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

/** One engine a thread: runs never overlap, because a run is synchronous. Null when the stream has other parts. */
function openEngine({ _handle: handle, _writeState: left }: Engine): DecodeInto | null {
  if (typeof handle?.writeSync !== 'function' || typeof handle.reset !== 'function' || left?.length !== 2) return null;
  const rest = new Uint8Array(1);
  let fault: string | null = null;
  Object.assign(handle, { onerror: (message: string) => (fault = message) });

  function write(bytes: Uint8Array, out: Uint8Array): number {
    handle?.writeSync(SYNC_FLUSH, bytes, 0, bytes.length, out, 0, out.length);
    if (fault !== null) throw new Error(fault);
    return out.length - (left?.[0] ?? 0);
  }

  return (bytes, out) => {
    fault = null;
    handle.reset();
    const decoded = write(bytes, out);
    // What does not fit shows as input that is left, or as output that the decoder still holds.
    const isFull = decoded === out.length;
    const unread = left[1];
    if (isFull && (unread > 0 || write(rest.subarray(1), rest) > 0)) throw new Error(`more than ${out.length} bytes`);
    return decoded;
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
