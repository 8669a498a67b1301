import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';

/** Where the bytes of a body go as they come; a request carries one, and who reads its body says where. */
export interface Landing {
  /** Memory for the whole body, from its first byte on; null until the answer was looked at, and from an abort on. */
  into: Uint8Array | null;
}

/** A request that carries a landing. */
type LandingOptions = Dispatcher.DispatchOptions & { readonly landing?: Landing };

const READ_BYTES = 65_536;
/** Headers of an answer may be so long, as is usual. */
export const MAX_HEADER_BYTES = 16_384;
/**
 * Shorter pieces are copied out of the memory that is read into. That memory is used again after one more piece, and the client
 * keeps headers where they lie until it has them all: they never go on through a piece that is as long as they may be.
 */
const SHORT_BYTES = MAX_HEADER_BYTES;
/** All memory that sockets read into and use again. */
const reused = new WeakSet<ArrayBufferLike>();

/**
 * Reads of a socket into two memories in turn. By default each read is into new memory of 64 kB that the collector must then clear
 * away: a fourth of what a block from a server near by costs. New memory is taken only while earlier bytes wait to be read.
 */
export function reusedReads(): { buffer: () => Uint8Array; callback: (count: number, bytes: Uint8Array) => boolean } {
  const own = [newMemory(), newMemory()];
  let next = own[0];
  return {
    buffer: () => next,
    callback(this: Socket, count: number, bytes: Uint8Array) {
      const isShort = count < SHORT_BYTES;
      const piece = bytes.subarray(0, count);
      const goesOn = this.push(isShort ? Buffer.from(piece) : piece);
      if (!isShort) next = this.readableLength > count ? newMemory() : bytes === own[0] ? own[1] : own[0];
      return goesOn;
    },
  };
}

function newMemory(): Buffer {
  const memory = Buffer.allocUnsafeSlow(READ_BYTES);
  reused.add(memory.buffer);
  return memory;
}

/** Connects as `plain` does, but for http with `reusedReads`; a connector for http made with those options comes from `withReads`. */
export function connectLanding(
  plain: buildConnector.connector,
  withReads: (onread: ReturnType<typeof reusedReads>) => buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => (options.protocol === 'http:' ? withReads(reusedReads()) : plain)(options, callback);
}

/** Brings the bytes of bodies to their landing before anybody else sees them; what passes on does not lie in memory that is used again. */
export function landingInterceptor(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options: LandingOptions, handler) => {
    const { landing } = options;
    let received = 0;
    const land = (chunk: Buffer): Buffer => {
      const at = received;
      received += chunk.length;
      const into = landing?.into ?? null;
      if (into !== null && received <= into.length) {
        into.set(chunk, at);
        return Buffer.from(into.buffer, into.byteOffset + at, chunk.length);
      }
      return reused.has(chunk.buffer) ? Buffer.from(chunk) : chunk;
    };
    return dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, land(chunk)),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  };
}
