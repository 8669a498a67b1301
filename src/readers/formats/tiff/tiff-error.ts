import { faultsOf } from '../../io/source-fault.ts';

/** What is wrong with a TIFF file, or with what was requested of it, and with it what the caller can do. */
const TIFF_FAULTS = {
  missing: 'check the path or address; there is nothing',
  not_tiff: 'give a TIFF or BigTIFF file',
  truncated: 'fetch the file again; it ends early',
  damaged: 'make the file again; what it says of itself cannot be true, or its bytes do not decode',
  unsupported: 'rewrite the file, for example with gdal_translate -co TILED=YES -co COMPRESS=ZSTD',
  too_large: 'rewrite the file with smaller blocks, for example tiles of 512 x 512, or request less at once',
  no_nodata: 'give the file a nodata value, or stay inside its pixels',
} as const satisfies Readonly<Record<string, string>>;

export type TiffFault = keyof typeof TIFF_FAULTS;

/** A TIFF file that cannot be read. `place` is the id of its source; `tag` the TIFF tag that is to blame, if one is. */
export class TiffError extends faultsOf('TiffError', TIFF_FAULTS) {}
