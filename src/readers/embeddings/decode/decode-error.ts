import { faultsOf } from '../../io/source-fault.ts';

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
