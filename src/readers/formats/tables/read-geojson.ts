import { createReadStream } from 'node:fs';
import type { SourceFeature, SourceFile } from '../../../locations/source-table.ts';
import { readGeojsonFeatures, validateGeojsonStructure } from '../geojson/features.ts';
import type { GeojsonItem } from '../geojson/item.ts';
import type { GeojsonLimits } from '../geojson/document.ts';
import { isRecord } from '../../../is-record.ts';

/** GeoJSON in any of its layouts, and arrays of plain objects, streamed. The structure is checked before anything is read. */
export async function openGeojson(path: string, limits: GeojsonLimits): Promise<SourceFile> {
  await validateGeojsonStructure(createReadStream(path), limits);
  return {
    format: 'geojson',
    tables: [{ kind: 'features', name: null, features: () => readFeatures(path, limits) }],
    remarks: [],
    close: () => Promise.resolve(),
  };
}

async function* readFeatures(path: string, limits: GeojsonLimits): AsyncGenerator<SourceFeature, void> {
  for await (const item of readGeojsonFeatures(createReadStream(path), limits)) yield toFeature(item);
}

function toFeature(item: GeojsonItem): SourceFeature {
  const row = item.index + 1;
  if ('feature' in item) {
    const { id, geometry, properties } = item.feature;
    return { row, ...(id === undefined ? {} : { id }), geometry, properties };
  }
  // A list of plain objects is a table like any other.
  if (item.fault.code === 'missing_type' && isRecord(item.value) && !('geometry' in item.value))
    return { row, properties: item.value };
  const value = isRecord(item.value) ? item.value : {};
  const properties = isRecord(value['properties']) ? value['properties'] : {};
  const isMislabelled = item.fault.code === 'missing_type' || item.fault.code === 'wrong_type';
  return {
    row,
    geometry: isMislabelled ? (value['geometry'] ?? null) : null,
    properties,
    notes: [{ code: 'not_a_feature', blanks: { reason: `${item.fault.detail}.` } }],
  };
}
