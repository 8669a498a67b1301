import { Readable } from 'node:stream';
import { Problem } from '../../../errors.ts';
import type { UncheckedFeature } from '../../../geo/geometry.ts';
import { layOutPlot } from '../../../geo/zonal/plot-ground.ts';
import type { FileWork } from '../../../service/files/file-work.ts';
import { flattenParts, type SplitFeature } from '../../../service/plots/split/split-feature.ts';
import { MAX_SPLIT_HA } from '../../../service/plots/split/split-limits.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { bodyChecker, compileValidator, refuseMisplaced } from '../../problems/check-body.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { acceptGeojson, BODY_TYPES, outputCrsOf } from '../forest/geojson-body.ts';
import { SplitBody, SplitCheck, SplitCollection, SplitQuery, type SplitRequest } from './split-schemas.ts';

/** Media types of the answer, the preferred one first. */
const SPLIT_MEDIA_TYPES = ['application/geo+json', 'application/json'];

/** What clients write next to the features and goes elsewhere. */
const MISPLACED = { output: 'send it in the address: ?output=parts', output_crs: 'plots and parts are in EPSG:4326' };

/** Typed as little as that of the forest endpoints: the body is text. */
const RESPONSE: Readonly<Record<number, unknown>> = {
  200: {
    description: 'The plots, or their parts.',
    content: Object.fromEntries(SPLIT_MEDIA_TYPES.map((type) => [type, { schema: SplitCollection }])),
  },
  ...problemResponses(['too_large', 'queue_full']),
};

/** `/plots/split`. */
export function plotSplitRoutes(files: Pick<FileWork, 'run'>) {
  return (app: App): void => {
    acceptGeojson(app);
    const checkBody = bodyChecker(SplitCheck);
    app.post(
      '/plots/split',
      {
        config: { access: 'validate', produces: SPLIT_MEDIA_TYPES },
        // A lone feature is a body too, and one without a usable polygon has an answer of its own: `checkBody` decides.
        validatorCompiler: (part) =>
          part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
        schema: {
          operationId: 'splitPlots',
          summary: 'Whether plots are clearly two things, and a proposed split',
          description:
            'Finds the kinds of ground inside each plot by segmentation of satellite embeddings, with their shares and what the maps of the catalogue say of them. Where at least two kinds are clearly apart and large enough, a split is proposed: polygons that exactly make up the plot. What could not be looked at is unknown, with the reason; the batch never fails because of it. Nothing is stored.',
          tags: ['plots'],
          consumes: BODY_TYPES,
          querystring: SplitQuery,
          body: SplitBody,
          response: RESPONSE,
        },
      },
      async (request, reply) => {
        const features = featuresOf(request.body, checkBody);
        assertSizes(features);
        const found = (await files.run(
          { kind: 'split_plots', params: { features } },
          { userId: principalOf(request).userId, size: 0, signal: leavingSignal(reply) },
        )) as readonly SplitFeature[];
        const answer = request.query.output === 'parts' ? flattenParts(found) : found;
        const text = JSON.stringify({ type: 'FeatureCollection', features: answer });
        return reply.type(request.accepted).send(Readable.from([text], { objectMode: false }));
      },
    );
  };
}

function featuresOf(came: unknown, checkBody: (body: unknown) => unknown): readonly UncheckedFeature[] {
  const isLone = typeof came === 'object' && came !== null && (came as { readonly type?: unknown }).type === 'Feature';
  const body = checkBody(isLone ? { features: [came] } : came) as SplitRequest;
  refuseMisplaced(body, MISPLACED);
  // Refuses a `crs` member that names another system.
  outputCrsOf(body as object);
  return body.features as readonly unknown[] as readonly UncheckedFeature[];
}

/** Throws `Problem('invalid_body')` for plots that are larger than one may be. */
function assertSizes(features: readonly UncheckedFeature[]): void {
  const errors = features.flatMap(({ geometry }, i) => {
    const ground = isArea(geometry) ? layOutPlot(geometry, null) : '';
    if (typeof ground === 'string' || ground.areaHa <= MAX_SPLIT_HA) return [];
    const detail = `wanted a plot of at most ${MAX_SPLIT_HA} ha (split_plot_ha in /limits), got ${ground.areaHa.toFixed(0)} ha`;
    return [{ pointer: `/features/${i}/geometry`, code: 'too_large', detail }];
  });
  if (errors.length === 0) return;
  throw new Problem('invalid_body', errors.map(({ pointer, detail }) => `${pointer}: ${detail}.`).join(' '), {
    errors,
  });
}

function isArea(geometry: unknown): boolean {
  const type = (geometry as { readonly type?: unknown } | null)?.type;
  return type === 'Polygon' || type === 'MultiPolygon';
}
