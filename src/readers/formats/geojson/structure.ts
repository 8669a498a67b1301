import { feedGeojson } from './bytes.ts';
import { GeojsonDocument, type GeojsonLayout, type GeojsonLimits } from './document.ts';

export interface GeojsonStructure {
  /** Items `readGeojsonFeatures` will yield, faults included. */
  readonly features: number;
  readonly layout: GeojsonLayout;
}

/**
 * Checks a whole GeoJSON text without building values, so that a broken file is known before an answer begins: after
 * it returns, `readGeojsonFeatures` with the same limits yields exactly `features` items from the same bytes and
 * throws nothing. Throws what that would throw.
 */
export async function validateGeojsonStructure(
  chunks: AsyncIterable<Uint8Array>,
  limits: GeojsonLimits = {},
): Promise<GeojsonStructure> {
  const document = new GeojsonDocument(null, limits);
  for await (const _ of feedGeojson(chunks, document)) continue;
  return { features: document.features, layout: document.layout ?? 'sequence' };
}
