import { Type } from 'typebox';
import {
  ExplainReceiptBody,
  FacilityCollection,
  FacilityOptionsSchema,
  ReceiptExplanation,
} from '../../routes/facilities/schemas.ts';
import { ForestCollection } from '../../routes/forest/schemas.ts';
import { ParcelCollection } from '../../routes/parcels/schemas.ts';
import { type Calls, FormFile, type Json } from '../calls.ts';
import { tool, type Tool } from '../tool.ts';

/** Most features of one call: their answers have to fit into what an assistant can read. */
const MAX_TOOL_FEATURES = 100;

const Place = {
  longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees, east is positive.' }),
  latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees, north is positive.' }),
};
const Points = Type.Array(
  Type.Object({
    ...Place,
    id: Type.Optional(Type.String({ maxLength: 200, description: 'Comes back with the answer.' })),
  }),
  { minItems: 1, maxItems: MAX_TOOL_FEATURES },
);

/** Features as a tool takes them. What is wrong inside one is said in its answer. */
export const Features = Type.Array(
  Type.Object(
    {
      type: Type.Literal('Feature'),
      geometry: Type.Unsafe<unknown>({
        type: ['object', 'null'],
        description: 'GeoJSON geometry, longitude first, WGS84.',
      }),
      properties: Type.Optional(Type.Unsafe<unknown>({ type: ['object', 'null'] })),
    },
    { additionalProperties: true },
  ),
  { minItems: 1, maxItems: MAX_TOOL_FEATURES, description: 'GeoJSON features.' },
);

/** Features as a file that is uploaded. */
export function featureFile(features: readonly unknown[]): FormFile {
  return new FormFile('features.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
}

export const PLACE_TOOLS: readonly Tool[] = [
  tool({
    name: 'rate_place',
    title: 'Rate a place',
    description:
      'How likely a place is a first-mile aggregation point of a commodity (a mill, collection centre or warehouse), with a receipt for the score. What no dataset covers is unknown, which is not absent: read confidence_range and confidence_basis with the score.',
    input: Type.Object(
      {
        ...Place,
        facility_name: Type.Optional(Type.String({ maxLength: 500, description: 'Name to look up in registries.' })),
        ...FacilityOptionsSchema,
      },
      { additionalProperties: false },
    ),
    output: FacilityCollection,
    hints: { openWorld: true },
    run: ({ longitude, latitude, ...query }, calls) =>
      calls.json({
        path: '/validate_facility',
        query: { ...query, geometry: `POINT(${longitude} ${latitude})` },
        accept: 'application/geo+json',
      }),
  }),
  tool({
    name: 'rate_places',
    title: 'Rate several places',
    description: `The same as rate_place for up to ${MAX_TOOL_FEATURES} GeoJSON features, with an aggregate in properties. A feature may say facility_name, country and commodity_type in its own properties. Longer lists: start_collection.`,
    input: Type.Object({ features: Features, ...FacilityOptionsSchema }, { additionalProperties: false }),
    output: FacilityCollection,
    hints: { openWorld: true },
    run: ({ features, ...options }, calls) =>
      readFeatures(calls, '/validate_facilities', { ...options, file: featureFile(features) }, features.length),
  }),
  tool({
    name: 'explain_receipt',
    title: 'Explain a receipt',
    description:
      'Explains the score of a rated place from its receipt: the arithmetic, what each indicator looked for, what is unknown, and how to settle each warning. Give the properties of a feature that rate_place answered. It looks nothing up again.',
    input: ExplainReceiptBody,
    output: ReceiptExplanation,
    hints: {},
    run: (receipt, calls) => calls.json({ method: 'POST', path: '/explain_receipt', body: receipt }),
  }),
  tool({
    name: 'find_forest_patches',
    title: 'Find forest patches',
    description:
      'For each point the contiguous, spectrally similar forest segment that holds it, as a polygon with its area. A point without a segment has a null geometry and a warning that says why.',
    input: Type.Object({ points: Points }, { additionalProperties: false }),
    output: ForestCollection,
    hints: { openWorld: true },
    run: ({ points }, calls) =>
      calls.json({ method: 'POST', path: '/forest_polygon/lookup', body: { features: points.map(pointFeature) } }),
  }),
  tool({
    name: 'find_parcels',
    title: 'Find cadastral parcels',
    description:
      'For each point the parcel of land that holds it, where a parcel dataset covers the place; with forest_fallback the forest patch elsewhere.',
    input: Type.Object(
      {
        points: Points,
        forest_fallback: Type.Optional(
          Type.Boolean({ default: false, description: 'Answer points outside every dataset by their forest patch.' }),
        ),
      },
      { additionalProperties: false },
    ),
    output: ParcelCollection,
    hints: { openWorld: true },
    run: ({ points, ...options }, calls) =>
      calls.json({
        method: 'POST',
        path: '/cadastral/parcels/search',
        body: { features: points.map(pointFeature), ...options },
      }),
  }),
];

interface PointGiven {
  readonly longitude: number;
  readonly latitude: number;
  readonly id?: string;
}

function pointFeature({ longitude, latitude, id }: PointGiven): object {
  const geometry = { type: 'Point', coordinates: [longitude, latitude] };
  return { type: 'Feature', ...(id === undefined ? {} : { id }), geometry, properties: {} };
}

/** A collection of results that come one by one, with word of each. */
export async function readFeatures(
  calls: Calls,
  path: string,
  form: Readonly<Record<string, unknown>>,
  total: number,
): Promise<object> {
  const features: Json[] = [];
  let aggregate: Json = {};
  for await (const line of calls.lines({ method: 'POST', path, form, accept: 'application/x-ndjson' })) {
    if (line === '') continue;
    const one = JSON.parse(line) as Json;
    if (one['type'] === 'FeatureCollection') aggregate = one;
    else features.push(one);
    await calls.progress(features.length, total, 'features done');
  }
  return { ...aggregate, type: 'FeatureCollection', features };
}
