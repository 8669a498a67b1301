import { faultsOf } from '../../io/source-fault.ts';

/** What is wrong with a store, and with it what can be done. */
const ZARR_FAULTS = {
  metadata: 'correct zarr.json; it breaks the rules of Zarr v3',
  unsupported: 'write the array with the codecs and types that are read',
  damaged: 'fetch the file again or build it again; its bytes are not what they should be',
} as const satisfies Readonly<Record<string, string>>;

export type ZarrFault = keyof typeof ZARR_FAULTS;

/** A Zarr store that cannot be read. `place` is the id of the file, without secrets. */
export class ZarrError extends faultsOf('ZarrError', ZARR_FAULTS) {}
