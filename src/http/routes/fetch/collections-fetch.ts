import { Readable } from 'node:stream';
import { Type, type TObject } from 'typebox';
import type { CollectionReader } from '../../../collections/collection.ts';
import { biodiversityView } from '../../../collections/fetch/biodiversity-view.ts';
import { deforestationView } from '../../../collections/fetch/deforestation-view.ts';
import { emissionsView } from '../../../collections/fetch/emissions-view.ts';
import { describeSelection, fetchFeatures, fetchTotals } from '../../../collections/fetch/fetch-features.ts';
import { plotsView } from '../../../collections/fetch/plots-view.ts';
import { isPlot, type Selection } from '../../../collections/fetch/select-features.ts';
import type { FetchedFeature, View } from '../../../collections/fetch/view.ts';
import { Problem } from '../../../errors.ts';
import { FEATURE_FORMATS } from '../../../locations/formats/feature-text.ts';
import { findCompleted, type FindCollectionsDeps } from '../../../service/collections/fetch-collections.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { checkColumns, fetchColumns, totalsColumns } from './columns.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { ADDED_PROPERTIES, fetchedFeatureSchema, FetchParameters, FetchQuery } from './schemas.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { FETCH_EXAMPLES } from './examples.ts';
import { readFilters, readIds, readPage, withPeriods } from './read-fetch-query.ts';
import { FEATURE_MEDIA_TYPES, formatOf, sendFeatures } from '../../server/send-features.ts';

export interface FetchRouteDeps extends FindCollectionsDeps {
  readonly collections: CollectionReader;
  /** Of the service: another one may write the same collection differently. */
  readonly version: string;
}

/** The media types of the answers, the preferred one first: lines can be read while they come. */
export const FETCH_MEDIA_TYPES: readonly string[] = [
  FEATURE_FORMATS.ndjson,
  ...FEATURE_MEDIA_TYPES.filter((type) => type !== FEATURE_FORMATS.ndjson),
];

interface Endpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What a signed answer is, in words. */
  readonly signed: string;
  readonly view: View;
  readonly added: Readonly<Record<string, unknown>>;
  readonly example: object;
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: '/fetch_deforestation_check',
    operationId: 'fetchDeforestationCheck',
    summary: 'Forest lost after 2020-12-31, plot by plot',
    description:
      'For each plot its forest on 2020-12-31, the losses of the period by year, the area that was lost inside that forest after the cut-off, what that means for due diligence, and the datasets that say so.',
    signed: 'plot verdict receipts',
    view: deforestationView,
    added: ADDED_PROPERTIES.deforestation_check,
    example: FETCH_EXAMPLES.deforestation_check,
  },
  {
    path: '/fetch_biomass_emissions',
    operationId: 'fetchBiomassEmissions',
    summary: 'Biomass and emissions, plot by plot',
    description:
      'For each plot its above-ground biomass by year and the emissions of land use change that its change stands for, a year and a hectare.',
    signed: 'biomass and emissions of plots',
    view: emissionsView,
    added: ADDED_PROPERTIES.biomass_emissions,
    example: FETCH_EXAMPLES.biomass_emissions,
  },
  {
    path: '/fetch_biodiversity',
    operationId: 'fetchBiodiversity',
    summary: 'Structural diversity, plot by plot',
    description: 'For each plot a score of how varied it is, with what it was measured on.',
    signed: 'diversity of plots',
    view: biodiversityView,
    added: ADDED_PROPERTIES.biodiversity,
    example: FETCH_EXAMPLES.biodiversity,
  },
  {
    path: '/fetch_plots',
    operationId: 'fetchPlots',
    summary: 'The locations of a collection',
    description: 'The locations as they were normalised and validated, in the order of the file.',
    signed: 'locations of a collection',
    view: plotsView,
    added: ADDED_PROPERTIES.plots,
    example: FETCH_EXAMPLES.plots,
  },
];

/** The fetch endpoints that give one feature a location. */
export function fetchRoutes(deps: FetchRouteDeps) {
  return (app: App): void => {
    for (const endpoint of ENDPOINTS) addFetchRoute(app, endpoint, deps);
  };
}

function addFetchRoute(app: App, endpoint: Endpoint, deps: FetchRouteDeps): void {
  const { path, operationId, summary, description, view, added, example } = endpoint;
  app.get(
    path,
    {
      config: { access: 'collections', produces: FETCH_MEDIA_TYPES, signable: endpoint.signed },
      schema: {
        operationId,
        summary,
        description: `${description} Any other parameter filters by column: \`country=GH\`, \`location_id=12,15\`.`,
        tags: ['collections'],
        querystring: FetchQuery,
        response: fetchResponses(fetchedFeatureSchema(added), example),
      },
    },
    async (request, reply) => {
      const { query } = request;
      const collections = await findCompleted(
        deps,
        principalOf(request).userId,
        readIds('filename', query.filename),
        view.needsStatistics,
        view.takesUnmeasured,
      );
      const requested: Selection = {
        collections: withPeriods(collections, query),
        view,
        filters: readFilters(query, FetchParameters),
        ...(query.plots_only === true ? { wants: isPlot } : {}),
      };
      const etag = etagFor(request, requested, deps.version);
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.header('etag', etag).code(304).send();
      const abort = abortedByClose(reply);
      const selection = await checkColumns(deps.collections, requested, Object.keys(FetchParameters), abort.signal);
      reply.header('etag', etag);
      return query.aggregate === true
        ? answerTotals(request, reply, await fetchTotals(deps.collections, selection, readPage(query), abort.signal))
        : await answerFeatures(request, reply, selection, deps, abort);
    },
  );
}

/** What is completed changes only when it is processed again. */
function etagFor({ accepted, url }: AnyRequest, { collections }: Selection, version: string): string {
  const parts = collections.map(({ collection, period }) => [
    collection.id,
    collection.completedAt,
    collection.reviews,
    period,
  ]);
  return etagOf(JSON.stringify([version, accepted, url, parts]));
}

async function answerFeatures(
  request: AnyRequest,
  reply: AnyReply,
  selection: Selection,
  { collections }: FetchRouteDeps,
  abort: AbortController,
): Promise<AnyReply> {
  const page = readPage(request.query as FetchQuery);
  const { features, next } = await fetchFeatures(collections, selection, page, abort.signal);
  if (next !== null) reply.header('link', nextLink(request.url, next));
  const format = formatOf(request);
  if (request.method === 'HEAD') return reply.type(request.accepted).send();
  const aggregate = format === 'geojson' ? () => ({ ...describeSelection(selection), next }) : null;
  const results = { features, aggregate, columns: fetchColumns(selection.view.fields) };
  return sendFeatures(reply, format, results, { abort, mediaType: request.accepted });
}

/** Totals are one feature in every format. */
export function answerTotals(request: AnyRequest, reply: AnyReply, totals: FetchedFeature): AnyReply {
  const format = formatOf(request);
  if (request.method === 'HEAD') return reply.type(request.accepted).send();
  const columns = totalsColumns(totals.properties);
  const results = { features: Readable.from([totals]), aggregate: null, columns };
  return sendFeatures(reply, format, results, { mediaType: request.accepted });
}

/** Aborts when the client leaves, so that nobody reads on for nobody. */
export function abortedByClose(reply: AnyReply): AbortController {
  const abort = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished)
      abort.abort(new Problem('client_closed_request', 'The client closed the connection.'));
  });
  return abort;
}

/** The address of the next page, relative to this one. */
export function nextLink(url: string, after: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.set('after', after);
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
}

/** What a fetch endpoint can answer. */
export function fetchResponses(feature: TObject, example: object): Record<string, unknown> {
  const collection = Type.Object({
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(feature),
    properties: Type.Optional(Type.Object({}, { additionalProperties: true })),
  });
  return {
    200: {
      description: 'The features, streamed. A `Link` header leads to the next page of a limited answer.',
      content: {
        [FEATURE_FORMATS.ndjson]: { schema: feature, example },
        [FEATURE_FORMATS.geojson]: { schema: collection },
        'application/json': { schema: collection },
        [FEATURE_FORMATS.csv]: { schema: Type.String({ description: 'One row a feature.' }) },
      },
    },
    304: Type.Null({ description: 'You have it already.' }),
    ...problemResponses(['collection_not_found', 'collection_not_ready', 'collection_failed', 'statistics_missing']),
  };
}
