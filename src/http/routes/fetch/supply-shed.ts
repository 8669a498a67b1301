import { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { describeSelection } from '../../../collections/fetch/fetch-features.ts';
import { isFacility, isPlot, type Selection } from '../../../collections/fetch/select-features.ts';
import type { FetchedFeature } from '../../../collections/fetch/view.ts';
import { facilityView } from '../../../collections/supply-shed/facility-view.ts';
import {
  fetchShedPlots,
  fetchSheds,
  MAX_SHEDS,
  type FetchedSheds,
  type ShedQuestion,
} from '../../../collections/supply-shed/fetch-sheds.ts';
import { DEFAULT_RADIUS_M, MAX_RADIUS_M, readPolygon, SHED_COLUMN } from '../../../collections/supply-shed/shed.ts';
import { shedPlotView } from '../../../collections/supply-shed/shed-plot-view.ts';
import { Problem } from '../../../errors.ts';
import { findCompleted } from '../../../service/collections/fetch-collections.ts';
import { createShedGate, findShedPlots, type ShedGate } from '../../../service/collections/shed-plots.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { checkColumns, fetchColumns } from './columns.ts';
import {
  abortedByClose,
  answerTotals,
  FETCH_MEDIA_TYPES,
  fetchResponses,
  nextLink,
  type FetchRouteDeps,
} from './collections-fetch.ts';
import { fetchedFeatureSchema, FetchParameters, SHED_PROPERTIES } from './schemas.ts';
import { FETCH_EXAMPLES } from './examples.ts';
import { readFilters, readIds, readPage, withPeriods } from './read-fetch-query.ts';
import { formatOf, sendFeatures } from '../../server/send-features.ts';

const ShedParameters = {
  ...FetchParameters,
  radius: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_RADIUS_M,
      default: DEFAULT_RADIUS_M,
      description: 'Metres around the place or the outline of each facility that belong to its supply shed.',
    }),
  ),
  polygon: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'wkt',
      description: 'WKT polygon that is the supply shed of every facility, instead of the radius.',
      examples: ['POLYGON((102.57 4.57, 102.62 4.57, 102.62 4.62, 102.57 4.62, 102.57 4.57))'],
    }),
  ),
  plots: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Ids of the collections of plots, with commas; default all your completed ones.',
    }),
  ),
  plots_only: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true returns the plots inside any of the sheds, each once, instead of the facilities.',
    }),
  ),
};
const ShedQuery = Type.Object(ShedParameters, { additionalProperties: true });
type ShedQuery = Static<typeof ShedQuery>;

const ENDPOINTS = [
  ['/fetch_supply_shed', 'fetchSupplyShed'],
  ['/stat_supply_shed', 'statSupplyShed'],
] as const;

/** `GET /fetch_supply_shed`, and the same at `/stat_supply_shed`. */
export function supplyShedRoutes(deps: FetchRouteDeps) {
  const gate = createShedGate();
  return (app: App): void => {
    for (const [path, operationId] of ENDPOINTS)
      app.get(
        path,
        {
          config: { access: 'collections', produces: FETCH_MEDIA_TYPES, signable: 'supply sheds' },
          schema: {
            operationId,
            summary: 'What the supply sheds of facilities hold',
            description: `For each facility of the collection the plots in its supply shed: counts, sums, shares by area, the least and greatest distance. The shed is the column \`${SHED_COLUMN}\` of the facility (WKT or GeoJSON), else everything within \`radius\`. A plot belongs to a shed with all of it when a point inside it does. Any other parameter filters facilities (with \`plots_only\`, plots) by column.`,
            tags: ['collections'],
            querystring: ShedQuery,
            response: fetchResponses(fetchedFeatureSchema(SHED_PROPERTIES), FETCH_EXAMPLES.supply_shed),
          },
        },
        (request, reply) => answer(request, reply, request.query, deps, gate),
      );
  };
}

async function answer(
  request: AnyRequest,
  reply: AnyReply,
  query: ShedQuery,
  deps: FetchRouteDeps,
  gate: ShedGate,
): Promise<AnyReply> {
  const abort = abortedByClose(reply);
  const requested = await readQuestion(request, query, deps);
  const about = query.plots_only === true ? 'plots' : 'facilities';
  const known = await checkColumns(deps.collections, requested[about], Object.keys(ShedParameters), abort.signal);
  const question = { ...requested, [about]: known };
  const page = readPage(query);
  if (query.plots_only === true) return answerPlots(request, reply, query, question, deps, abort);
  const work = () => fetchSheds(deps.collections, question, page, abort.signal);
  const sheds = await gate.run(abort.signal, work);
  if (query.aggregate === true) return answerTotals(request, reply, sheds.totals());
  return answerSheds(request, reply, question, sheds);
}

async function readQuestion(request: AnyRequest, query: ShedQuery, deps: FetchRouteDeps): Promise<ShedQuestion> {
  const { userId } = principalOf(request);
  const found = await findCompleted(deps, userId, readIds('filename', query.filename), false, true);
  if (found.every(({ counts }) => counts !== null && counts.facilities === 0))
    throw refusal(
      'filename',
      'wanted a collection with facilities, got only plots; their own numbers are at /fetch_deforestation_check.',
    );
  const facilities = withPeriods(found, query);
  const plots = await findShedPlots(deps, userId, query.plots === undefined ? null : readIds('plots', query.plots));
  const filters = readFilters(query, ShedParameters);
  const ofPlots = query.plots_only === true;
  // Plots are looked at over one period, whatever collection they are of.
  const { period } = facilities[0]!;
  return {
    facilities: {
      collections: facilities,
      view: facilityView,
      filters: ofPlots ? [] : filters,
      wants: isFacility,
    },
    plots: {
      collections: plots.collections.map((collection) => ({ collection, period })),
      view: shedPlotView,
      filters: ofPlots ? filters : [],
      wants: isPlot,
    },
    options: { radiusM: query.radius ?? DEFAULT_RADIUS_M, polygon: polygonOf(query.polygon) },
    plotsDescription: { ...plots.description, monitoring_start: period.start, monitoring_end: period.end },
  };
}

function polygonOf(text: string | undefined): ShedQuestion['options']['polygon'] {
  if (text === undefined) return null;
  const polygon = readPolygon(text);
  if (typeof polygon === 'string') throw refusal('polygon', polygon);
  return polygon;
}

function answerSheds(
  request: AnyRequest,
  reply: AnyReply,
  question: ShedQuestion,
  { features, next }: FetchedSheds,
): AnyReply {
  return send(
    request,
    reply,
    { selection: question.facilities, features: Readable.from(features), next },
    Object.keys(SHED_PROPERTIES),
  );
}

async function answerPlots(
  request: AnyRequest,
  reply: AnyReply,
  query: ShedQuery,
  question: ShedQuestion,
  { collections }: FetchRouteDeps,
  abort: AbortController,
): Promise<AnyReply> {
  if (query.aggregate === true)
    throw refusal(
      'aggregate',
      'wanted no aggregate together with plots_only: without plots_only it counts each plot once.',
    );
  const found = await fetchShedPlots(collections, question, readPage(query), abort.signal);
  if (found === null)
    throw refusal('filename', `wanted at most ${MAX_SHEDS} facilities with plots_only; name fewer collections.`);
  return send(request, reply, found, found.selection.view.fields, abort);
}

interface Found {
  readonly selection: Selection;
  readonly features: AsyncIterable<FetchedFeature>;
  readonly next: string | null;
}

function send(
  request: AnyRequest,
  reply: AnyReply,
  { selection, features, next }: Found,
  fields: readonly string[],
  abort?: AbortController,
): AnyReply {
  if (next !== null) reply.header('link', nextLink(request.url, next));
  const format = formatOf(request);
  if (request.method === 'HEAD') return reply.type(request.accepted).send();
  const aggregate = format === 'geojson' ? () => ({ ...describeSelection(selection), next }) : null;
  const results = { features, aggregate, columns: fetchColumns(fields) };
  return sendFeatures(reply, format, results, {
    mediaType: request.accepted,
    ...(abort === undefined ? {} : { abort }),
  });
}

function refusal(name: string, detail: string): Problem {
  const text = `${name}: ${detail}`;
  return new Problem('invalid_parameter', text, {
    errors: [{ pointer: `/query/${name}`, code: 'invalid', detail: text }],
  });
}
