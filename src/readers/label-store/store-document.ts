import type { Lattice } from '../../geo/outline/lattice.ts';

/** The version of the format: the root group's attribute `firstmile_label_store`. */
const STORE_VERSION = 1;

/** A rectangle of cells of an array: column, row, width, height. */
export type CellBox = readonly [column: number, row: number, width: number, height: number];

/** The arrays of one raster and year. */
export interface StoreEntry {
  /** Where its group is in the store, such as `EPSG_32616/2024`. */
  readonly path: string;
  /** Name of the raster among those of the dataset. */
  readonly raster: string;
  readonly year: number;
  /** What made the labels, as `ALGORITHM` writes it. */
  readonly algorithm: string;
  /** Version of the embeddings. */
  readonly datasetVersion: string;
  /** The lattice of cells, which live lookups use too. */
  readonly lattice: Lattice;
  /** Column and row of the arrays' first cell on the lattice. */
  readonly column: number;
  readonly row: number;
  /** Cells in a row of the arrays, and rows. */
  readonly width: number;
  readonly height: number;
  /** Cells a side of a chunk and of a shard. */
  readonly chunk: number;
  readonly shard: number;
  /** Where the blocks of 2 x 2 pixels begin in the raster. */
  readonly phase: { readonly x: 0 | 1; readonly y: 0 | 1 };
  /** What was built when the document was written, in cells of the arrays. More may have been built since. */
  readonly coverage: readonly CellBox[];
}

/** What a store says of itself. */
export interface StoreDocument {
  readonly dataset: {
    readonly id: string;
    readonly version: string;
    readonly licence: string;
    readonly attribution: string;
    readonly synthetic: boolean;
  };
  readonly entries: readonly StoreEntry[];
}

type Json = Readonly<Record<string, unknown>>;

const MAX_ENTRIES = 10_000;
const MAX_BOXES = 100_000;
/** Labels are numbered within 32 bits; a chunk of 4 bytes a cell stays below 64 MiB. */
const MAX_SIDE = 2 ** 31;
const MAX_CHUNK = 4096;

/**
 * Reads the attributes of a store's root group. `place` names it in messages.
 * @throws Error that names the attribute, what was wanted and what came.
 */
export function parseStoreDocument(place: string, attributes: Json): StoreDocument {
  const version = attributes['firstmile_label_store'];
  if (version !== STORE_VERSION)
    throw new Error(
      `${place}: wanted a label store of version ${STORE_VERSION}, got firstmile_label_store ${JSON.stringify(version)}`,
    );
  const at = fieldsOf(place, attributes);
  const dataset = fieldsOf(`${place}: dataset`, at.object('dataset'));
  return {
    dataset: {
      id: dataset.text('id'),
      version: dataset.text('version'),
      licence: dataset.text('licence'),
      attribution: dataset.text('attribution'),
      synthetic: dataset.raw('synthetic') === true,
    },
    entries: at.list('rasters', MAX_ENTRIES).map((entry, i) => parseEntry(`${place}: rasters ${i}`, entry)),
  };
}

/** The attributes that `parseStoreDocument` reads. */
export function storeAttributes({ dataset, entries }: StoreDocument): Json {
  return { firstmile_label_store: STORE_VERSION, dataset, rasters: entries.map(entryAttributes) };
}

/** An entry in the words of the file. */
export function entryAttributes(entry: StoreEntry): Json {
  const { datasetVersion, ...rest } = entry;
  return { ...rest, dataset_version: datasetVersion };
}

function parseEntry(place: string, value: unknown): StoreEntry {
  const at = fieldsOf(place, value);
  const lattice = fieldsOf(`${place}: lattice`, at.object('lattice'));
  const phase = fieldsOf(`${place}: phase`, at.object('phase'));
  const chunk = at.whole('chunk', 1, MAX_CHUNK);
  const path = at.text('path');
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(path) || path.split('/').includes('..'))
    throw new Error(`${place}: path: wanted names with "/" between them, got ${JSON.stringify(path)}`);
  return {
    path,
    raster: at.text('raster'),
    year: at.whole('year', 1900, 9999),
    algorithm: at.text('algorithm'),
    datasetVersion: at.text('dataset_version'),
    lattice: {
      crs: lattice.text('crs'),
      originX: lattice.finite('originX'),
      originY: lattice.finite('originY'),
      cellWidth: lattice.positive('cellWidth'),
      cellHeight: lattice.positive('cellHeight'),
    },
    column: at.whole('column', -MAX_SIDE, MAX_SIDE),
    row: at.whole('row', -MAX_SIDE, MAX_SIDE),
    width: at.whole('width', 1, MAX_SIDE),
    height: at.whole('height', 1, MAX_SIDE),
    chunk,
    shard: at.whole('shard', chunk, MAX_SIDE),
    phase: { x: phase.whole('x', 0, 1) as 0 | 1, y: phase.whole('y', 0, 1) as 0 | 1 },
    coverage: at.list('coverage', MAX_BOXES).map((box, i) => parseBox(`${place}: coverage ${i}`, box)),
  };
}

function parseBox(place: string, value: unknown): CellBox {
  const isBox = Array.isArray(value) && value.length === 4 && value.every((part) => Number.isSafeInteger(part));
  if (!isBox) throw new Error(`${place}: wanted four whole numbers, got ${shortened(value)}`);
  return [value[0], value[1], value[2], value[3]];
}

function fieldsOf(place: string, value: unknown) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place}: wanted an object, got ${shortened(value)}`);
  const json = value as Json;
  const check = <T>(name: string, wanted: string, isRight: (field: unknown) => boolean): T => {
    if (isRight(json[name])) return json[name] as T;
    throw new Error(`${place}: ${name}: wanted ${wanted}, got ${shortened(json[name])}`);
  };
  return {
    raw: (name: string): unknown => json[name],
    text: (name: string): string => check(name, 'a text', (field) => typeof field === 'string' && field !== ''),
    object: (name: string): Json => check(name, 'an object', (field) => typeof field === 'object' && field !== null),
    list: (name: string, most: number): readonly unknown[] =>
      check(name, `a list of at most ${most}`, (field) => Array.isArray(field) && field.length <= most),
    finite: (name: string): number => check(name, 'a number', Number.isFinite),
    positive: (name: string): number =>
      check(name, 'a number above 0', (field) => Number.isFinite(field) && (field as number) > 0),
    whole: (name: string, from: number, to: number): number =>
      check(
        name,
        `a whole number from ${from} to ${to}`,
        (field) => Number.isSafeInteger(field) && (field as number) >= from && (field as number) <= to,
      ),
  };
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
