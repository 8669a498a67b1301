import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import { parseCommodity } from '../../../facilities/commodity/commodity-names.ts';
import { toShape } from '../../../geo/shapes/to-shape.ts';
import { parseWkt, WktError } from '../../../geo/shapes/wkt.ts';
import {
  MAP_THEMES,
  MAX_MAP_DEGREES,
  MAX_MAP_FEATURES,
  type MapFeatureService,
  type MapTheme,
} from '../../../service/world/map-features.ts';
import type { App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';

const GEOJSON_TYPES = ['application/geo+json', 'application/json'];

const ThemeSchema = Type.Unsafe<MapTheme>({ type: 'string', enum: MAP_THEMES });

const Features = Type.Object({
  type: Type.Literal('FeatureCollection'),
  features: Type.Array(
    Type.Object({
      type: Type.Literal('Feature'),
      geometry: Type.Unsafe<unknown>({ type: 'object', description: 'A GeoJSON geometry.' }),
      properties: Type.Object({
        theme: ThemeSchema,
        class: Type.String({ description: 'Its kind, as its source calls it.' }),
        kind: Type.String({ description: 'The same for people.' }),
        name: Type.Union([Type.String(), Type.Null()]),
        dataset: Type.String(),
        dataset_version: Type.String(),
        synthetic: Type.Boolean({ description: 'true for generated data that describes no real place.' }),
        indicator: Type.Optional(Type.String({ description: 'The indicator it counts for.' })),
        distance_m: Type.Optional(Type.Integer({ description: 'Metres on the ellipsoid; 0 where they touch.' })),
      }),
    }),
  ),
  properties: Type.Object({
    truncated: Type.Array(ThemeSchema, { description: 'Themes with more features than the limit.' }),
    failed: Type.Array(Type.Object({ theme: ThemeSchema, dataset: Type.String(), detail: Type.String() }), {
      description: 'Datasets that could not be read: what they hold here is not known.',
    }),
  }),
});

const BoxQuery = Type.Object(
  {
    bbox: Type.String({
      maxLength: 200,
      description: `West, south, east, north in degrees, at most ${MAX_MAP_DEGREES} each way.`,
      examples: ['102.57,4.57,102.63,4.62'],
    }),
    themes: Type.Optional(
      Type.String({
        maxLength: 200,
        description: `Some of ${MAP_THEMES.join(', ')}, with commas. Without it all of them.`,
        examples: ['roads,buildings'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_MAP_FEATURES, default: 5_000, description: 'Features a theme.' }),
    ),
  },
  { additionalProperties: false },
);

const SurroundingsQuery = Type.Object(
  {
    geometry: Type.String({
      minLength: 1,
      format: 'wkt',
      description: 'WKT of the facility in longitude latitude order.',
      examples: ['POINT(102.6124 4.5821)'],
    }),
    commodity_type: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The commodity whose businesses count; default those of any.',
        examples: ['palm'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /map_features` and `GET /facility_surroundings`: what regional packs hold, to be drawn. */
export function mapFeatureRoutes(service: MapFeatureService) {
  return (app: App): void => {
    app.get(
      '/map_features',
      {
        config: { access: 'authenticated', produces: GEOJSON_TYPES },
        schema: {
          operationId: 'getMapFeatures',
          summary: 'What regional packs hold in a box',
          description: 'Roads, water, buildings and businesses to draw on a map.',
          tags: ['facilities'],
          querystring: BoxQuery,
          response: { 200: described('The features.'), ...problemResponses(['invalid_parameter']) },
        },
      },
      async (request, reply) => {
        const { bbox, themes, limit = 5_000 } = request.query;
        const answer = await service.inBox(boxOf(bbox), themesOf(themes), limit, leavingSignal(reply));
        return reply.type(request.accepted).send(collection(answer));
      },
    );
    app.get(
      '/facility_surroundings',
      {
        config: { access: 'validate', produces: GEOJSON_TYPES },
        schema: {
          operationId: 'getFacilitySurroundings',
          summary: 'The objects that counted around a facility',
          description:
            'The roads, water, buildings, businesses and ports of regional packs within the distances that the checks decide by, nearest first. What a live service found is not kept and is not here.',
          tags: ['facilities'],
          querystring: SurroundingsQuery,
          response: { 200: described('The features.'), ...problemResponses(['invalid_geometry']) },
        },
      },
      async (request, reply) => {
        const { geometry, commodity_type: commodity } = request.query;
        const answer = await service.around(shapeOf(geometry), parseCommodity(commodity), leavingSignal(reply));
        return reply.type(request.accepted).send(collection(answer));
      },
    );
  };
}

function described(description: string): unknown {
  return { description, content: Object.fromEntries(GEOJSON_TYPES.map((type) => [type, { schema: Features }])) };
}

function collection({ features, ...properties }: Awaited<ReturnType<MapFeatureService['inBox']>>) {
  return { type: 'FeatureCollection' as const, features, properties };
}

function boxOf(text: string): readonly [number, number, number, number] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [west, south, east, north] = numbers;
  const fits =
    numbers.length === 4 &&
    numbers.every(Number.isFinite) &&
    west! >= -180 &&
    east! <= 180 &&
    south! >= -90 &&
    north! <= 90;
  if (!fits || west! > east! || south! > north!)
    throw refused('bbox', `wanted west,south,east,north in degrees, got ${JSON.stringify(text)}`);
  if (east! - west! > MAX_MAP_DEGREES || north! - south! > MAX_MAP_DEGREES)
    throw refused('bbox', `wanted a box of at most ${MAX_MAP_DEGREES} degrees each way, got ${JSON.stringify(text)}`);
  return [west!, south!, east!, north!];
}

function themesOf(text: string | undefined): readonly MapTheme[] {
  if (text === undefined) return MAP_THEMES;
  return [...new Set(text.split(',').map((name) => name.trim()))].map((name) => {
    const theme = MAP_THEMES.find((known) => known === name);
    if (theme === undefined)
      throw refused('themes', `wanted some of ${MAP_THEMES.join(', ')}, got ${JSON.stringify(name)}`);
    return theme;
  });
}

function refused(name: string, detail: string): Problem {
  return new Problem('invalid_parameter', `${name}: ${detail}.`, {
    errors: [{ pointer: `/query/${name}`, code: 'invalid', detail }],
  });
}

function shapeOf(wkt: string) {
  const refuse = (detail: string): never => {
    throw new Problem('invalid_geometry', `The query parameter geometry cannot be used. ${detail}`, {
      errors: [{ pointer: '/query/geometry', code: 'invalid', detail }],
    });
  };
  try {
    const laidOut = toShape(parseWkt(wkt));
    return laidOut.shape ?? refuse(laidOut.fault.message);
  } catch (error) {
    if (!(error instanceof WktError)) throw error;
    return refuse(error.message);
  }
}
