import { faultOf } from '../../io/source-fault.ts';

/** What is wrong with an OpenStreetMap file, and what can be done. */
export class OsmFileError extends faultOf('OsmFileError', 'download the file again') {}

/** Runs a decoder; bytes that end early or make no sense become an error that names the file. */
export function decoding<T>(place: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OsmFileError(place, `a piece of the file is damaged (${error.message})`, { cause: error });
  }
}
