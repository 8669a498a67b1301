import type { FilingScope } from '../../../collections/due-diligence/exclude.ts';
import { Type, type Static } from 'typebox';
import type { Collection } from '../../../collections/collection.ts';
import { EXCLUDABLE, parseExclude } from '../../../collections/due-diligence/exclude.ts';
import { ACTIVITIES, FILING_KINDS } from '../../../collections/due-diligence/filing-choices.ts';
import { Problem } from '../../../errors.ts';
import { exportCollections, exportKey, type ExportDeps } from '../../../service/collections/export-collections.ts';
import { readFiling } from '../../../service/collections/read-filing.ts';
import { findCompleted } from '../../../service/collections/fetch-collections.ts';
import { principalOf, type AnyReply, type App } from '../../server/app.ts';
import { abortedByClose } from '../fetch/collections-fetch.ts';
import { FetchParameters, MAX_FILENAME_LENGTH } from '../fetch/schemas.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { readIds, withPeriods } from '../fetch/read-fetch-query.ts';
import { acceptTask, TaskSchema } from '../tasks/task-view.ts';
import { CUT_OFF } from '../../../monitoring-days.ts';
import { ROLES } from '../../../law/roles.ts';
import { SIZES } from '../../../law/undertakings.ts';
import { streamed } from '../../server/send-features.ts';

interface ExportRouteDeps extends ExportDeps {
  /** Of the service: another one may write the same export differently. */
  readonly version: string;
  /** Default: the clock of this machine. */
  readonly clock?: () => Date;
}

const ZIP = 'application/zip';

/** What a client says of the filing; what it leaves out stays open in the draft. */
const said = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 200, description, examples: [example] }));

const Query = Type.Object(
  {
    filename: Type.Optional(FetchParameters.filename),
    collections: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_FILENAME_LENGTH, description: 'The same as `filename`; give one.' }),
    ),
    monitoring_start: Type.Optional(
      Type.String({
        format: 'date',
        default: CUT_OFF,
        description: 'The period begins after this day.',
        examples: [CUT_OFF],
      }),
    ),
    monitoring_end: FetchParameters.monitoring_end,
    exclude: Type.Optional(
      Type.String({
        maxLength: 200,
        description: `Leave plots out by their \`risk_level\`, \`eudr_status\` or \`convergence_verdict\`, with commas between them: ${EXCLUDABLE.join(', ')}. They are listed in \`left-out.csv\`.`,
        examples: ['high,more_information_needed'],
      }),
    ),
    kind: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: [...FILING_KINDS, 'dds', 'sd'],
        default: 'statement',
        description:
          'What is drafted: a due diligence statement (`dds`), or the one-off simplified declaration (`sd`) of micro and small primary operators.',
      }),
    ),
    cn: said(
      'Codes of your goods, one a commodity, with commas between them; listed in Annex I on `date`.',
      '1801,4403',
    ),
    role: said(
      `Who files: ${Object.entries(ROLES)
        .filter(([, { files }]) => files !== 'nothing')
        .map(([role]) => role)
        .join(', ')}.`,
      'operator',
    ),
    size: said(`Size of the undertaking: ${SIZES.join(', ')}.`, 'medium'),
    established: said(
      'Day on which it was established as a natural person, micro or small undertaking: by 2024-12-31 it is bound later.',
      '2019-04-01',
    ),
    activity: said(`${ACTIVITIES.join(', ')}: as the statement names it.`, 'IMPORT'),
    places: said(
      'How a simplified declaration says where plots are: geometry (default), address (columns of a postal code and a city) or cadastral (identifiers of a column, else parcels that are looked up).',
      'cadastral',
    ),
    date: said(
      'Day of placing on the market or export, whose law counts: Annex I and the tiers of countries. Default: today.',
      '2026-12-30',
    ),
  },
  { additionalProperties: false },
);

/** `GET /export_eudr_dds`. */
export function exportRoutes(deps: ExportRouteDeps) {
  return (app: App): void => {
    app.get(
      '/export_eudr_dds',
      {
        config: { access: 'collections', produces: [ZIP], signable: 'due diligence export' },
        schema: {
          operationId: 'exportEudrDds',
          summary: 'The due diligence export of collections',
          description:
            'A ZIP archive: GeoJSON that passes the rules of the EU information system, a draft statement in the shape of its V3 service, `checks.json` with the official error numbers of what is not fit to be submitted, tables, an audit trail as PDF with a map of each plot, and checksums. With `kind=simplified_declaration` the draft is a simplified declaration. Nothing is submitted to any authority. Large collections are exported by a task: 202 with its addresses; the same request answers the archive when it is done. See docs/due-diligence.md.',
          tags: ['collections'],
          querystring: Query,
          response: exportResponses(),
        },
      },
      async (request, reply) => {
        const { query } = request;
        const filing = readFiling(query, (deps.clock?.() ?? new Date()).toISOString().slice(0, 10));
        const collections = await findCompleted(deps, principalOf(request).userId, idsOf(query), false);
        const period = { ...periodOf(collections, query), filing };
        const etag = etagOf(JSON.stringify([deps.version, exportKey(collections, period)]));
        // Parcels may have been imported since.
        const isKept = filing.places !== 'cadastral';
        if (isKept && etagMatches(request.headers['if-none-match'], etag))
          return reply.header('etag', etag).code(304).send();
        const abort = abortedByClose(reply);
        const isHead = request.method === 'HEAD';
        const { bytes, task } = await exportCollections(deps, collections, period, !isHead, abort.signal);
        if (task !== null) return reply.send(acceptTask(reply, task));
        if (bytes === null) return reply.code(202).type('application/json').send();
        reply.header('etag', etag).type(ZIP);
        reply.header('content-disposition', `attachment; filename="${fileName(collections)}"`);
        return sendBytes(reply, isHead ? null : bytes);
      },
    );
  };
}

/** What the endpoint can answer. */
function exportResponses(): Record<string, unknown> {
  return {
    200: {
      description: 'The archive, streamed.',
      content: { [ZIP]: { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
    },
    202: { description: 'A task makes it.', content: { 'application/json': { schema: TaskSchema } } },
    304: Type.Null({ description: 'You have it already.' }),
    ...problemResponses(['collection_not_found', 'collection_not_ready', 'collection_failed']),
  };
}

function sendBytes(reply: AnyReply, bytes: AsyncIterable<Uint8Array> | null): AnyReply {
  return bytes === null ? reply.send() : reply.send(streamed(reply, bytes));
}

function idsOf({ filename, collections }: Static<typeof Query>): readonly string[] {
  if (filename !== undefined && collections !== undefined)
    throw refusal('collections', 'ambiguous', 'Wanted filename or collections, got both.');
  return filename === undefined ? readIds('collections', collections ?? '') : readIds('filename', filename);
}

/** One period for all: to the latest end of their batches, unless one is given. */
function periodOf(collections: readonly Collection[], query: Static<typeof Query>): Omit<FilingScope, 'filing'> {
  const requested = { ...query, monitoring_start: query.monitoring_start ?? CUT_OFF };
  const periods = withPeriods(collections, requested).map(({ period }) => period);
  return {
    exclude: excludedBy(query.exclude),
    start: requested.monitoring_start,
    end: periods.map(({ end }) => end).reduce((a, b) => (a > b ? a : b)),
  };
}

function excludedBy(text: string | undefined): readonly string[] {
  try {
    return parseExclude(text ?? '');
  } catch (error) {
    throw refusal('exclude', 'invalid', (error as Error).message);
  }
}

function fileName([collection, ...others]: readonly Collection[]): string {
  return others.length === 0
    ? `due-diligence-${collection!.id}.zip`
    : `due-diligence-${others.length + 1}-collections.zip`;
}

function refusal(name: string, code: string, detail: string): Problem {
  return new Problem('invalid_parameter', detail, { errors: [{ pointer: `/query/${name}`, code, detail }] });
}
