import type { Parcel, ParcelSource } from '../../parcels/parcel.ts';
import type { ByteSource } from '../io/byte-source.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { decodePolygons, decodeValues, planColumns, type Values } from '../formats/flatgeobuf/decode-feature.ts';
import { openFlatGeobuf, type FlatGeobufFile } from '../formats/flatgeobuf/open-flatgeobuf.ts';
import { FlatGeobufError, type Column } from '../formats/flatgeobuf/layout.ts';
import type { PageMemory } from '../formats/flatgeobuf/page-memory.ts';
import { openedOnce, parcelOptions, type ParcelOptions } from './parcel-options.ts';
import { footprintHolds } from './parcel-footprint.ts';
import { parcelId } from './parcel-attributes.ts';

/** Parcels that are read at one place; there are towers with hundreds of lots. */
const MOST = 2_000;

/** Parcels of a FlatGeobuf file, read in place: the index, then the parcels whose box holds the point. Nothing is read yet. */
export function flatgeobufParcels(
  dataset: Dataset,
  openSource: () => Promise<ByteSource>,
  pages: PageMemory,
): ParcelSource {
  const { id, version, synthetic, coverage } = dataset;
  const options = parcelOptions(dataset);
  const open = openedOnce(async (signal) =>
    checkColumns(await openFlatGeobuf(await openSource(), pages, signal), options),
  );
  return {
    dataset: { id, version, synthetic },
    jurisdiction: options.jurisdiction,
    covers: footprintHolds(coverage),
    async near(lon, lat, signal) {
      const file = await open(signal);
      const leaves = await file.search([[lon, lat, lon, lat]], signal);
      const parcels: Parcel[] = [];
      const { columns, geometryType } = file.header;
      const names = columns.map(({ name }) => name);
      const plan = planColumns(columns, names);
      const values: Values = names.map(() => null);
      await file.read(leaves.slice(0, MOST), signal, (view, at) => {
        const polygons = decodePolygons(view, at, geometryType);
        if (polygons.length === 0) return;
        decodeValues(view, at, columns, plan, values);
        parcels.push({ polygons, ...describe(columns, values, options) });
      });
      return { parcels, isCut: leaves.length > MOST };
    },
  };
}

function checkColumns(file: FlatGeobufFile, { idField, attributesField }: ParcelOptions): FlatGeobufFile {
  const names = file.header.columns.map(({ name }) => name);
  for (const wanted of [idField, attributesField ?? idField])
    if (!names.includes(wanted))
      throw new FlatGeobufError(file.place, `wanted a column "${wanted}", got ${names.join(', ') || 'none'}`);
  return file;
}

function describe(
  columns: readonly Column[],
  values: Values,
  { idField, attributesField }: ParcelOptions,
): Pick<Parcel, 'id' | 'attributes'> {
  const all = flatAttributes(columns, values);
  const id = parcelId(all[idField]) ?? '';
  const attributes = attributesField === null ? all : all[attributesField];
  return { id, attributes: (attributes ?? {}) as Parcel['attributes'] };
}

/** All values of a feature by their columns. */
export function flatAttributes(columns: readonly Column[], values: Values): Readonly<Record<string, unknown>> {
  return Object.fromEntries(columns.map(({ name, type }, i) => [name, typed(values[i], type)]));
}

/** A value as JSON has it: FlatGeobuf keeps truth as 0 and 1, and JSON as text. */
function typed(value: string | number | null, type: Column['type']): unknown {
  if (value === null) return null;
  if (type === 'bool') return value === 1;
  if (type !== 'json' || typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
