import { parseJson } from '../../../geo/parse-json.ts';
import { takeLargeGeometryTurn } from '../../../geo/shapes/large-geometry.ts';
import { feedGeojson } from './bytes.ts';
import { GeojsonDocument, type GeojsonLimits } from './document.ts';
import { geojsonItem, type GeojsonItem } from './item.ts';

/**
 * Reads GeoJSON that comes in chunks of any size, feature by feature, in flat memory: a FeatureCollection with its
 * members in any order, a single Feature or geometry, an array of either, or texts after one another (one a line, or
 * RFC 8142). Every item of the file is yielded once, in order: what is not a usable feature comes as a fault. A file
 * that is broken as a whole throws `Problem('malformed_file' | 'too_large')` that says where; features before the
 * place may have been yielded by then, which `validateGeojsonStructure` beforehand rules out.
 */
export async function* readGeojsonFeatures(
  chunks: AsyncIterable<Uint8Array>,
  limits: GeojsonLimits = {},
): AsyncGenerator<GeojsonItem, void> {
  let found: GeojsonItem[] = [];
  const document = new GeojsonDocument((bytes, index, layout) => {
    found.push(geojsonItem(index, parse(bytes), layout));
  }, limits);
  for await (const _ of feedGeojson(chunks, document)) {
    if (found.length === 0) continue;
    yield* found;
    found = [];
  }
}

function parse(bytes: Uint8Array): unknown {
  takeLargeGeometryTurn(bytes.length);
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
}
