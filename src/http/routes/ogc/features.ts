import { Problem } from '../../../errors.ts';
import type { MapFeature } from '../../../gis/feature-rows.ts';
import { MAP_CRS_URIS, type MapCrs, toMapCrs } from '../../../gis/map-crs.ts';
import type { FeaturePage, PageRequest } from '../../../gis/read-page.ts';
import type { MapSet, MapSets } from '../../../service/gis/map-sets.ts';
import type { OpenedSet } from '../../../service/gis/opened-set.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { type AnyRequest, type App, principalOf } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { baseOf, sendDescription } from './answers.ts';
import { describeSet, selfLinks } from './describe-sets.ts';
import { afterRow, crsOf, readItemsQuery } from './read-items-query.ts';
import {
  ConformanceSchema,
  FeatureSchema,
  FeaturesSchema,
  FORMATS,
  FormatQuery,
  GEOJSON,
  ItemParams,
  ItemQuery,
  ItemsQuery,
  LandingSchema,
  type Link,
  QueryablesSchema,
  SetParams,
  SetSchema,
  SetsSchema,
} from './schemas.ts';
import { Type, type TSchema } from 'typebox';

export interface FeatureRouteDeps {
  readonly sets: MapSets;
  /** Where clients reach the service; null: as the request says. */
  readonly publicUrl: string | null;
}

const PART1 = 'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf';
const PART3 = 'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf';
const CQL2 = 'http://www.opengis.net/spec/cql2/1.0/conf';
const TILES = 'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf';

/** What is implemented whole. The description of the service is OpenAPI 3.1, for which Part 1 has no class. */
const CONFORMS_TO: readonly string[] = [
  'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
  ...['core', 'geojson', 'html'].map((name) => `${PART1}/${name}`),
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
  ...['queryables', 'filter', 'features-filter'].map((name) => `${PART3}/${name}`),
  ...[
    'cql2-text',
    'cql2-json',
    'basic-cql2',
    'advanced-comparison-operators',
    'case-insensitive-comparison',
    'basic-spatial-functions',
  ].map((name) => `${CQL2}/${name}`),
  ...['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt'].map((name) => `${TILES}/${name}`),
];

const EITHER = [FORMATS.json, FORMATS.html];
const FEATURES = [GEOJSON, FORMATS.json, FORMATS.html];
const JUST_FORMAT = Type.Object(FormatQuery, { additionalProperties: false });

/** OGC API - Features over everything that has a place on a map: packs, parcels, forest segments, and the locations of the caller's collections. */
export function addFeatureRoutes(app: App, deps: FeatureRouteDeps): void {
  landingRoute(app, deps);
  conformanceRoute(app);
  setsRoute(app, deps);
  setRoute(app, deps);
  queryablesRoute(app, deps);
  itemsRoute(app, deps);
  itemRoute(app, deps);
}

function landingRoute(app: App, { publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc',
    {
      config: { access: 'public', produces: EITHER },
      schema: {
        operationId: 'getOgcLanding',
        summary: 'OGC API: where map programs begin',
        description: 'The landing page of OGC API - Features and - Tiles. GDAL and QGIS are given this address.',
        tags: ['maps'],
        querystring: JUST_FORMAT,
        response: described('The links.', LandingSchema),
      },
    },
    async (request, reply) => {
      const base = baseOf(request, publicUrl);
      const links: readonly Link[] = [
        ...selfLinks(`${base}/ogc`),
        {
          href: `${base}/openapi.json`,
          rel: 'service-desc',
          type: 'application/vnd.oai.openapi+json;version=3.1',
          title: 'OpenAPI',
        },
        { href: `${base}/docs`, rel: 'service-doc', type: 'text/html', title: 'Reference' },
        { href: `${base}/ogc/conformance`, rel: 'conformance', type: FORMATS.json, title: 'Conformance' },
        { href: `${base}/ogc/collections`, rel: 'data', type: FORMATS.json, title: 'Collections' },
      ];
      const description =
        'Regional packs, parcels, forest segments, and the locations of your collections with what was found out about them.';
      return sendDescription(request, reply, { title: 'Firstmile', description, links });
    },
  );
}

function conformanceRoute(app: App): void {
  app.get(
    '/ogc/conformance',
    {
      config: { access: 'public', produces: EITHER },
      schema: {
        operationId: 'getOgcConformance',
        summary: 'OGC API: what is implemented',
        description: 'The conformance classes of OGC API - Features, CQL2 and OGC API - Tiles that hold here.',
        tags: ['maps'],
        querystring: JUST_FORMAT,
        response: described('The classes.', ConformanceSchema),
      },
    },
    async (request, reply) => sendDescription(request, reply, { conformsTo: CONFORMS_TO }, { title: 'Conformance' }),
  );
}

function setsRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections',
    {
      config: { access: 'authenticated', produces: EITHER },
      schema: {
        operationId: 'listOgcCollections',
        summary: 'OGC API: the sets of features you can read',
        description:
          'Regional packs and parcels; with the scope `forest` also the segments of label stores; with the scope `collections` also the plots and facilities of your newest 100 collections. Older ones can be read by their id, `plots-<collection id>` and `facilities-<collection id>`; with the scope `validate` also the results, `results-<task id>`, of your newest 100 tasks that rated or normalised places, except tables.',
        tags: ['maps'],
        querystring: JUST_FORMAT,
        response: described('The sets.', SetsSchema),
      },
    },
    async (request, reply) => {
      const base = baseOf(request, publicUrl);
      const found = await sets.list(principalOf(request));
      const collections = found.map((set) => describeSet(set, base));
      const links = [...selfLinks(`${base}/ogc/collections`), ...collections.flatMap((one) => one.links.slice(0, 1))];
      return sendDescription(request, reply, { links, crs: [...MAP_CRS_URIS], collections }, { title: 'Collections' });
    },
  );
}

function setRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id',
    {
      config: { access: 'authenticated', produces: EITHER },
      schema: {
        operationId: 'getOgcCollection',
        summary: 'OGC API: a set of features',
        description: 'Its extent, its coordinate systems, and links to its features and tiles.',
        tags: ['maps'],
        params: SetParams,
        querystring: JUST_FORMAT,
        response: described('The set.', SetSchema, ['collection_not_ready']),
      },
    },
    async (request, reply) => {
      const set = await sets.find(principalOf(request), request.params.collection_id);
      const { extent } = await set.open(leavingSignal(reply));
      return sendDescription(request, reply, describeSet(set, baseOf(request, publicUrl), extent ?? set.coverage));
    },
  );
}

function queryablesRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id/queryables',
    {
      config: { access: 'authenticated', produces: EITHER },
      schema: {
        operationId: 'getOgcQueryables',
        summary: 'OGC API: properties that filters can name',
        description: 'A JSON Schema of the properties of the features, from a sample of them.',
        tags: ['maps'],
        params: SetParams,
        querystring: JUST_FORMAT,
        response: {
          200: {
            description: 'The properties.',
            content: { 'application/schema+json': { schema: QueryablesSchema } },
          },
          ...problemResponses(['malformed_query', 'collection_not_ready']),
        },
      },
    },
    async (request, reply) => {
      const set = await sets.find(principalOf(request), request.params.collection_id);
      const signal = leavingSignal(reply);
      const types = await (await set.open(signal)).properties(signal);
      const properties = Object.fromEntries([...types].map(([name, type]) => [name, { title: name, type }]));
      const body = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `${baseOf(request, publicUrl)}/ogc/collections/${set.id}/queryables`,
        type: 'object',
        title: set.title,
        properties: { geometry: { title: 'geometry', format: 'geometry-any' }, ...properties },
        additionalProperties: false,
      };
      return sendDescription(request, reply, body, { mediaType: 'application/schema+json' });
    },
  );
}

function itemsRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id/items',
    {
      config: { access: 'authenticated', produces: FEATURES },
      schema: {
        operationId: 'listOgcItems',
        summary: 'OGC API: features',
        description:
          'A page of features in an order that stays, with a `next` link while there may be more. A page may hold fewer than `limit`, even none, and not be the last: a filter looks at a bounded number of features a page, and segments of a label store come at most 1,000 a page.',
        tags: ['maps'],
        params: SetParams,
        querystring: ItemsQuery,
        response: {
          200: {
            description: 'The features.',
            content: { [GEOJSON]: { schema: FeaturesSchema }, [FORMATS.json]: { schema: FeaturesSchema } },
          },
          ...problemResponses(['malformed_query', 'collection_not_ready']),
        },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const set = await sets.find(principalOf(request), request.params.collection_id);
      const crs = crsOf('crs', query.crs);
      const signal = leavingSignal(reply);
      const opened = await set.open(signal);
      const names = query.filter === undefined ? null : await filterNames(set, opened, signal);
      const page = await pageOf(opened, readItemsQuery(query, set, names), signal);
      const links = [...selfLinks(addressOf(request, publicUrl), GEOJSON), ...nextLink(request, set, page, publicUrl)];
      const body = {
        type: 'FeatureCollection',
        features: page.features.map((feature) => inCrs(feature, crs)),
        links,
        timeStamp: new Date().toISOString(),
        numberReturned: page.features.length,
        ...(page.matched === null ? {} : { numberMatched: page.matched }),
        ...(page.leftOut === undefined ? {} : { numberLeftOut: page.leftOut }),
      };
      reply.header('content-crs', `<${crs.uri}>`);
      return sendDescription(request, reply, body, { title: `Features of ${set.title}`, mediaType: typeOf(request) });
    },
  );
}

function itemRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id/items/:feature_id',
    {
      config: { access: 'authenticated', produces: FEATURES },
      schema: {
        operationId: 'getOgcItem',
        summary: 'OGC API: a feature',
        description: 'One feature of a set by its id.',
        tags: ['maps'],
        params: ItemParams,
        querystring: ItemQuery,
        response: {
          200: {
            description: 'The feature.',
            content: { [GEOJSON]: { schema: FeatureSchema }, [FORMATS.json]: { schema: FeatureSchema } },
          },
          ...problemResponses(['malformed_query', 'collection_not_ready']),
        },
      },
    },
    async (request, reply) => {
      const { collection_id: id, feature_id: featureId } = request.params;
      const set = await sets.find(principalOf(request), id);
      const crs = crsOf('crs', request.query.crs);
      const signal = leavingSignal(reply);
      const feature = await (await set.open(signal)).item(featureId, signal);
      if (feature === null)
        throw new Problem('not_found', `${set.id} has no feature ${JSON.stringify(featureId.slice(0, 40))}.`);
      const base = baseOf(request, publicUrl);
      const links = [
        ...selfLinks(addressOf(request, publicUrl), GEOJSON),
        { href: `${base}/ogc/collections/${set.id}`, rel: 'collection', type: FORMATS.json, title: set.title },
      ];
      reply.header('content-crs', `<${crs.uri}>`);
      const body = { ...inCrs(feature, crs), links };
      return sendDescription(request, reply, body, {
        title: `Feature ${featureId} of ${set.title}`,
        mediaType: typeOf(request),
      });
    },
  );
}

function described(description: string, schema: TSchema, codes: Parameters<typeof problemResponses>[0] = []) {
  return {
    200: {
      description,
      content: {
        [FORMATS.json]: { schema },
        'text/html': { schema: Type.String({ description: 'The same for a browser.' }) },
      },
    },
    ...problemResponses(['malformed_query', ...codes]),
  };
}

/** What a filter may name; parcels have columns of their own that a sample cannot list. */
async function filterNames(set: MapSet, opened: OpenedSet, signal: AbortSignal): Promise<ReadonlySet<string> | null> {
  return set.kind === 'parcels' ? null : new Set((await opened.properties(signal)).keys());
}

async function pageOf(opened: OpenedSet, request: PageRequest | null, signal: AbortSignal): Promise<FeaturePage> {
  return request === null ? { features: [], next: null, matched: 0 } : await opened.page(request, signal);
}

function inCrs({ id, geometry, properties }: MapFeature, crs: MapCrs) {
  return { type: 'Feature' as const, id, geometry: toMapCrs(geometry, crs), properties };
}

function typeOf({ accepted }: Pick<AnyRequest, 'accepted'>): string {
  return accepted === FORMATS.json ? FORMATS.json : GEOJSON;
}

function addressOf(request: AnyRequest, publicUrl: string | null): string {
  return `${baseOf(request, publicUrl)}${request.url}`;
}

function nextLink(request: AnyRequest, set: MapSet, { next }: FeaturePage, publicUrl: string | null): readonly Link[] {
  if (next === null) return [];
  const address = new URL(addressOf(request, publicUrl));
  address.searchParams.set('after', afterRow(next, set.version));
  return [{ href: address.href, rel: 'next', type: GEOJSON, title: 'The next page' }];
}
