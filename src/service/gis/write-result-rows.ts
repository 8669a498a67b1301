import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { mapProperties } from '../../gis/map-properties.ts';
import { textLines } from '../../text-lines.ts';
import { storedGeometry, writeRows } from './row-file.ts';

export function resultRowsPath(folder: string): string {
  return join(folder, 'results.rows');
}

/**
 * Writes the features of stored results as rows into a folder, in their order.
 *
 * @param path GeoJSON or NDJSON as `featureText` writes both: a feature a line.
 */
export async function writeResultRows(
  { path, folder }: { readonly path: string; readonly folder: string },
  signal: AbortSignal,
): Promise<void> {
  const rows = writeRows(resultRowsPath(folder));
  for await (const line of textLines(createReadStream(path, { highWaterMark: 1_048_576 }))) {
    signal.throwIfAborted();
    const feature = featureOf(line);
    if (feature === null) continue;
    const { id, geometry, properties } = feature;
    await rows.add({
      geometry: storedGeometry(geometry),
      properties: { ...(id === undefined ? {} : { feature_id: String(id) }), ...mapProperties(properties) },
    });
  }
  await rows.finish();
}

interface StoredFeature {
  readonly type: string;
  readonly id?: string | number;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Null for the lines around the features: those of the collection, and the sums at the end. */
function featureOf(line: string): StoredFeature | null {
  const text = line.endsWith(',') ? line.slice(0, -1) : line;
  if (!text.endsWith('}') || !text.startsWith('{')) return null;
  const value = JSON.parse(text) as StoredFeature;
  return value.type === 'Feature' ? value : null;
}
