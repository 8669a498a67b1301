import { Type, type TSchema } from 'typebox';

/** The CRS of the answer of a lookup by points. */
export function outputCrs(examples: readonly string[]) {
  return Type.Optional(
    Type.String({
      maxLength: 200,
      default: 'EPSG:4326',
      description:
        'CRS of the returned geometries: any EPSG code with a verified definition. x (easting, longitude) always comes first.',
      examples: [...examples],
    }),
  );
}

export const FeatureCollectionType = Type.Optional(Type.Literal('FeatureCollection'));

/** A point to look up, for the reference: what is checked is less, since an unusable point has an answer of its own. */
export const PointFeature = Type.Object(
  {
    type: Type.Literal('Feature'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    geometry: Type.Object({
      type: Type.Literal('Point'),
      coordinates: Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 3,
        description: 'Longitude, latitude in degrees, and a height, which is left out.',
      }),
    }),
    properties: Type.Optional(
      Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description: 'Returned with the result; a computed property of the same name wins.',
      }),
    ),
  },
  { description: 'A feature without a usable point gets a null geometry and a warning `invalid_point`.' },
);

export const nullable = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });
