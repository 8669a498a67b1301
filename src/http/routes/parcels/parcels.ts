import { Readable } from 'node:stream';
import { collectionText } from '../../../forest/feature-text.ts';
import type { Crs } from '../../../geo/crs/find-crs.ts';
import type { ParcelService } from '../../../service/parcels/parcel-service.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { bodyChecker, compileValidator, NEVER_CHOSEN, refuseMisplaced } from '../../problems/check-body.ts';
import { acceptGeojson, BODY_TYPES, FOREST_MEDIA_TYPES, outputCrsOf } from '../forest/geojson-body.ts';
import {
  ParcelCollection,
  ParcelSearchBody,
  ParcelSearchCheck,
  ParcelSearchQuery,
  type ParcelSearchRequest,
} from './schemas.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';

const DESCRIPTION =
  'The parcel dataset whose footprint covers the place answers: with the parcel that holds the point, or with none, as on a road allowance or in water. ' +
  'Outside every footprint `forest_fallback=true` answers with the forest patch, looked up by a forest task of yours. ' +
  'A point without an answer has a null geometry and a warning that says why; the batch never fails because of it. Needs the scope `forest`.';

/** Typed as little as that of the forest endpoints: the body is streamed text. */
const RESPONSE: Readonly<Record<number, unknown>> = {
  200: {
    description: 'The parcels.',
    content: Object.fromEntries(FOREST_MEDIA_TYPES.map((type) => [type, { schema: ParcelCollection }])),
  },
};

/** `/cadastral/parcels/search`, for many points and for one. */
export function parcelRoutes(parcels: Pick<ParcelService, 'search'>) {
  return (app: App): void => {
    acceptGeojson(app);
    addBatchSearch(app, parcels);
    addSingleSearch(app, parcels);
  };
}

function addBatchSearch(app: App, parcels: Pick<ParcelService, 'search'>): void {
  const checkBody = bodyChecker(ParcelSearchCheck);
  app.post(
    '/cadastral/parcels/search',
    {
      config: { access: 'forest', produces: FOREST_MEDIA_TYPES },
      // The reference shows features as they should be; one that is not gets an answer of its own, so `checkBody` decides.
      validatorCompiler: (part) =>
        part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
      schema: {
        operationId: 'searchParcels',
        summary: 'The parcels that hold points',
        description: DESCRIPTION,
        tags: ['parcels'],
        consumes: BODY_TYPES,
        body: ParcelSearchBody,
        response: RESPONSE,
      },
    },
    async (request, reply) => {
      const body = checkBody(request.body) as ParcelSearchRequest;
      refuseMisplaced(body, MISPLACED);
      const crs = outputCrsOf(body);
      const { features, forest_fallback: fallback = false } = body;
      return await answer(request, reply, parcels, { features, crs, fallback });
    },
  );
}

function addSingleSearch(app: App, parcels: Pick<ParcelService, 'search'>): void {
  app.get(
    '/cadastral/parcels/search',
    {
      config: { access: 'forest', produces: FOREST_MEDIA_TYPES },
      schema: {
        operationId: 'searchParcel',
        summary: 'The parcel that holds a point',
        description: `${DESCRIPTION} The answer is a collection with one feature.`,
        tags: ['parcels'],
        querystring: ParcelSearchQuery,
        response: RESPONSE,
      },
    },
    async (request, reply) => {
      const { lon, lat, forest_fallback: fallback = false, output_crs: requested } = request.query;
      const crs = outputCrsOf(requested === undefined ? {} : { output_crs: requested });
      const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] } };
      return await answer(request, reply, parcels, { features: [feature], crs, fallback });
    },
  );
}

async function answer(
  request: AnyRequest,
  reply: AnyReply,
  parcels: Pick<ParcelService, 'search'>,
  { features, crs, fallback }: { readonly features: readonly unknown[]; readonly crs: Crs; readonly fallback: boolean },
): Promise<unknown> {
  // Nothing is looked up for a body that is not sent, and no forest task begun.
  if (request.method === 'HEAD') return reply.type(request.accepted).send();
  const answers = await parcels.search(features, {
    crs,
    forestFallback: fallback,
    userId: principalOf(request).userId,
    signal: leavingSignal(reply),
  });
  return reply.type(request.accepted).send(Readable.from(collectionText(features, answers, crs), READABLE));
}

/** What clients write next to the features as for a forest lookup. */
const MISPLACED = { ...NEVER_CHOSEN, async_mode: 'a search of parcels always answers at once' };

const READABLE = { objectMode: false };
