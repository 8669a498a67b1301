/** What a location may be at: put into our words, compared with the others of its file, validated and measured. */
export type LocationWork = 'normalizing' | 'comparing' | 'processing';

/** A step of the work on a file, in words that end a sentence: a crash of the worker is put down to it. Rows and tables count from 1. */
export type FileStep =
  | 'opening the file'
  | `reading row ${number} of table ${number}`
  | `${LocationWork} location ${number}`;

/** Hears what is worked on next, and knows on what the worker has crashed before. */
export interface CrashWatch {
  /** Notes the step that is worked on alone from now on; null: none in particular. */
  begin(step: FileStep | null): void;
  /** Notes that nothing but this location is worked on from now on; `number` counts from 0. */
  beginLocation(work: LocationWork, number: number): void;
  /** How often the worker crashed at this work on a location, where it is passed over for it; else 0. */
  crashesOf(work: LocationWork, number: number): number;
  /** The row of a table, counted from 0, before which its reader has to stop, because it crashes the worker; null: none. */
  unreadFrom(table: number): { readonly row: number; readonly crashes: number } | null;
  /** Notes that this location is validated and measured from now on, alone where that is `isOneByOne`. */
  process(number: number): void;
  /** Locations are processed one by one for a while, so that a crash has a name. */
  readonly isOneByOne: boolean;
  /** The rows are not those that the worker crashed on before: nothing is noted or passed over. */
  forget(): void;
}

/** For files whose reader is there to hear that they failed: nothing is passed over. */
export const UNWATCHED: CrashWatch = {
  begin() {},
  beginLocation() {},
  crashesOf: () => 0,
  unreadFrom: () => null,
  process() {},
  isOneByOne: false,
  forget() {},
};
