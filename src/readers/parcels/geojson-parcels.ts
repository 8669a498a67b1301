import type { Parcel, ParcelSource } from '../../parcels/parcel.ts';
import { type Bbox, boxOf } from '../../geo/shapes/shape.ts';
import type { ByteSource } from '../io/byte-source.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { readGeojsonFeatures } from '../formats/geojson/features.ts';
import { MAX_GEOJSON_BYTES, openedOnce, parcelOptions, type ParcelOptions } from './parcel-options.ts';
import { footprintHolds } from './parcel-footprint.ts';
import { jsonAttributes, parcelId } from './parcel-attributes.ts';
import { parcelPolygons } from './parcel-polygons.ts';

const PIECE_BYTES = 4_194_304;

interface Held {
  readonly parcel: Parcel;
  readonly box: Bbox;
}

/** Parcels of a small GeoJSON file, held in memory from the first question on. */
export function geojsonParcels(dataset: Dataset, openSource: () => Promise<ByteSource>): ParcelSource {
  const { id, version, synthetic, coverage } = dataset;
  const options = parcelOptions(dataset);
  const loaded = openedOnce(async (signal) => load(await openSource(), options, signal));
  return {
    dataset: { id, version, synthetic },
    jurisdiction: options.jurisdiction,
    covers: footprintHolds(coverage),
    async near(lon, lat, signal) {
      const held = await loaded(signal);
      const parcels = held.filter(({ box }) => lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3]);
      return { parcels: parcels.map(({ parcel }) => parcel), isCut: false };
    },
  };
}

async function load(source: ByteSource, options: ParcelOptions, signal: AbortSignal): Promise<readonly Held[]> {
  const held: Held[] = [];
  for await (const item of readGeojsonFeatures(piecesOf(source, signal))) {
    if (!('feature' in item)) continue;
    const { geometry, properties, id } = item.feature;
    const { polygons } = parcelPolygons(geometry);
    if (polygons === null) continue;
    const attributes = jsonAttributes(properties);
    const own = parcelId(properties[options.idField]) ?? parcelId(id) ?? `row ${item.index + 1}`;
    held.push({ parcel: { id: own, polygons, attributes }, box: boxOf(polygons) });
  }
  return held;
}

async function* piecesOf(source: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const info = await source.stat({ signal });
  if (info === null) throw new Error(`${source.id}: there is no such file`);
  if (info.size > MAX_GEOJSON_BYTES)
    throw new Error(
      `${source.id}: wanted at most ${MAX_GEOJSON_BYTES} bytes of GeoJSON, got ${info.size}; import it with firstmile data import parcels`,
    );
  for (let at = 0; at < info.size; at += PIECE_BYTES) {
    const bytes = await source.fetch(at, Math.min(PIECE_BYTES, info.size - at), { signal });
    if (bytes === null) throw new Error(`${source.id}: the file is gone`);
    yield bytes;
  }
}
