import { ByteSourceError } from '../../io/byte-error.ts';
import { type OpenFile, readOpenFile } from '../../io/file-source.ts';
import type { ByteRange } from '../../io/plan.ts';
import { faultsOf } from '../../io/source-fault.ts';

/** Bytes of a file that the thread that decodes them reads itself, one range after the other. */
export interface FileRanges {
  readonly file: OpenFile;
  readonly ranges: readonly ByteRange[];
}

/** Bytes that are left free before the bytes of a job, of which decoding may use some: see `DecodeInto`. */
export const INPUT_FRONT = 64;

/**
 * Reads ranges into memory that is used again by the next call. Bytes that travel through another thread are copied
 * twice, into fresh memory that the kernel clears first: half the time of a window of small blocks. They begin after `INPUT_FRONT`
 * bytes that are free.
 * @throws ByteSourceError when they cannot be read, or the file was written into.
 */
export function openFileReader(): (place: string, ranges: FileRanges) => Uint8Array {
  let memory = new Uint8Array(0);
  return (place, { file, ranges }) => {
    const length = ranges.reduce((sum, range) => sum + range.length, 0);
    if (memory.length < INPUT_FRONT + length) memory = new Uint8Array(INPUT_FRONT + length);
    const bytes = memory.subarray(INPUT_FRONT, INPUT_FRONT + length);
    try {
      readOpenFile(place, file, ranges, bytes);
    } catch (error) {
      if (error instanceof ByteSourceError || error instanceof RangeError) throw error;
      throw new ByteSourceError('transport', place, (error as Error).message, { cause: error });
    }
    return bytes;
  };
}

/** What went wrong while a block was decoded, and with it what the caller can do. */
const DECODE_FAULTS = {
  damaged: 'fetch or make the file again; its bytes do not decode',
  timeout: 'try again later, or allow more time',
  died: 'try again; the thread that decoded is replaced',
  busy: 'try again later; too many blocks wait to be decoded',
  closed: 'nothing; the service is stopping',
} as const satisfies Readonly<Record<string, string>>;

/** Blocks that could not be decoded. `place` is the id of the source they come from. */
export class DecodeError extends faultsOf('DecodeError', DECODE_FAULTS) {}
