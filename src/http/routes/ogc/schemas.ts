import { Type } from 'typebox';
import { CQL2_LIMITS } from '../../../gis/cql2/expression.ts';

/** Most features of one page, and those of a page that says nothing. */
export const MAX_ITEMS = 10_000;
export const DEFAULT_ITEMS = 100;

export const FORMATS = { json: 'application/json', html: 'text/html; charset=utf-8' } as const;
export const GEOJSON = 'application/geo+json';

/** A set of the sample district. */
export const EXAMPLE_SET = 'sample-district-roads';

/** `f` for people who cannot set a header. */
export const FormatQuery = {
  f: Type.Optional(
    Type.Unsafe<'json' | 'html'>({
      type: 'string',
      enum: ['json', 'html'],
      description: 'The representation, for those who cannot send an `Accept` header.',
    }),
  ),
};

export const SetParams = Type.Object({
  collection_id: Type.String({ description: 'Of the list at `/ogc/collections`.', examples: [EXAMPLE_SET] }),
});
export const ItemParams = Type.Object({
  collection_id: Type.String({ description: 'Of the list at `/ogc/collections`.', examples: [EXAMPLE_SET] }),
  feature_id: Type.String({ description: '`id` of the feature.', examples: ['0'] }),
});

const Crs = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'Coordinate system of the answer, as its address; default CRS84, longitude first.',
    examples: ['http://www.opengis.net/def/crs/EPSG/0/32648'],
  }),
);

export const ItemQuery = Type.Object({ ...FormatQuery, crs: Crs }, { additionalProperties: false });

export const ItemsQuery = Type.Object(
  {
    ...FormatQuery,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: DEFAULT_ITEMS,
        description: `Features a page; over ${MAX_ITEMS} is taken for ${MAX_ITEMS}.`,
      }),
    ),
    bbox: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Features that have a place in it: west, south, east, north. West over east crosses the antimeridian.',
        examples: ['102.57,4.57,102.63,4.62'],
      }),
    ),
    'bbox-crs': Type.Optional(
      Type.String({ maxLength: 100, description: 'Coordinate system of `bbox`; default CRS84.' }),
    ),
    crs: Crs,
    datetime: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A moment, a day, or two with a slash: features about those days. One of two may be `..`.',
        examples: ['2021-01-01/..'],
      }),
    ),
    filter: Type.Optional(
      Type.String({
        maxLength: CQL2_LIMITS.characters,
        description:
          'CQL2, its comparisons, AND, OR, NOT, LIKE, BETWEEN, IN, IS NULL, CASEI, dates and S_INTERSECTS, over the queryables.',
        examples: ["synthetic = true AND class LIKE 't%'"],
      }),
    ),
    'filter-lang': Type.Optional(
      Type.Unsafe<'cql2-text' | 'cql2-json'>({
        type: 'string',
        enum: ['cql2-text', 'cql2-json'],
        default: 'cql2-text',
        description: 'How the filter is written.',
      }),
    ),
    'filter-crs': Type.Optional(
      Type.String({ maxLength: 100, description: 'Of the geometries of the filter; CRS84, the one there is.' }),
    ),
    after: Type.Optional(
      Type.String({ pattern: '^\\d{1,12}-[\\w-]{16}$', description: 'Of the `next` link of the page before.' }),
    ),
  },
  { additionalProperties: false },
);

const LinkSchema = Type.Object({
  href: Type.String(),
  rel: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  templated: Type.Optional(Type.Boolean()),
});
export interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
  readonly title?: string;
  readonly templated?: boolean;
}
const Links = Type.Array(LinkSchema);
const Open = { additionalProperties: true };

export const LandingSchema = Type.Object({ title: Type.String(), description: Type.String(), links: Links }, Open);
export const ConformanceSchema = Type.Object({ conformsTo: Type.Array(Type.String()) });
export const SetSchema = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    itemType: Type.Literal('feature'),
    extent: Type.Optional(Type.Object({}, Open)),
    crs: Type.Array(Type.String()),
    storageCrs: Type.String(),
    links: Links,
  },
  Open,
);
export const SetsSchema = Type.Object(
  { links: Links, crs: Type.Array(Type.String()), collections: Type.Array(SetSchema) },
  Open,
);
export const QueryablesSchema = Type.Object({ type: Type.Literal('object'), properties: Type.Object({}, Open) }, Open);
export const FeatureSchema = Type.Object(
  {
    type: Type.Literal('Feature'),
    id: Type.String(),
    geometry: Type.Unsafe<unknown>({
      type: ['object', 'null'],
      description: 'GeoJSON geometry in the system of `Content-Crs`.',
    }),
    properties: Type.Object({}, { ...Open, description: 'Texts, numbers and truth values.' }),
  },
  Open,
);
export const FeaturesSchema = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(FeatureSchema),
    links: Links,
    timeStamp: Type.String({ format: 'date-time' }),
    numberReturned: Type.Integer(),
    numberMatched: Type.Optional(
      Type.Integer({ description: 'On all pages; absent where that takes reading them all.' }),
    ),
    numberLeftOut: Type.Optional(
      Type.Integer({
        description:
          'Of a label store: segments between this page and the one before that it does not know whole, so that a lookup cuts them live. They are not among the features.',
      }),
    ),
  },
  Open,
);
