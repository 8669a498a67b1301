import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { COMMODITIES } from '../../facilities/commodity/commodities.ts';
import { commodityOption } from '../../facilities/commodity/commodity-names.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { FacilitySummary } from '../../facilities/summarise.ts';
import { FEATURE_FORMATS, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import type { FacilityService } from '../../service/facilities/facilities.ts';
import type { RatedFile } from '../../service/facilities/rate-file.ts';
import { commandLog } from '../parts/command-log.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { facilityReport } from './facility-report.ts';
import { LOCATION_OPTIONS } from './location-input.ts';
import { createProgressBar, NO_PROGRESS_BAR } from '../parts/progress-bar.ts';
import { type Beginning, readBeginning } from '../parts/read-beginning.ts';
import { connectLookups } from '../parts/running-lookups.ts';
import { writeText } from '../parts/write-output.ts';

/** A file up to this size is given to a service that runs, which has its data open. */
const SMALL_FILE_BYTES = 64 * 1024;
/** How long standard input is waited for before it is taken for one that goes on, whose first results cannot wait for its end. */
const INPUT_MS = 250;
const FORMATS = Object.keys(FEATURE_FORMATS) as FeatureFormat[];
const FORMAT_BY_ENDING: Readonly<Record<string, FeatureFormat>> = {
  json: 'geojson',
  geojson: 'geojson',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
};

export const validate: Command = {
  args: [
    {
      name: 'FILE',
      doc: 'GeoJSON, whose features are taken for facilities unless --type or --routed says otherwise, or a file of any format that normalize reads; - reads GeoJSON from standard input.',
      required: true,
    },
  ],
  options: {
    commodity: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      doc: `One of ${COMMODITIES.join(', ')}; anything else uses the plantation mask.`,
    },
    radius: {
      type: 'string',
      value: 'METRES',
      doc: 'Radius of the commodity presence check, 1 to 50000; default 5000.',
    },
    water: { type: 'boolean', doc: 'Look for water.' },
    port: { type: 'boolean', doc: 'Look for sea ports.' },
    'no-road': { type: 'boolean', doc: 'Do not look for roads; their penalty does not apply.' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      doc: 'Where the results go; its ending chooses the format (.geojson, .ndjson, .csv).',
    },
    format: {
      type: 'string',
      short: 'f',
      value: 'FORMAT',
      doc: `${FORMATS.join(', ')}; with --output - the results go to standard output.`,
    },
    routed: { type: 'boolean', doc: 'Separate facilities from plots in GeoJSON too.' },
    repair: {
      type: 'boolean',
      doc: 'Repair geometries that cannot be used, with a log of the changes; not for GeoJSON taken for facilities.',
    },
    ...LOCATION_OPTIONS,
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no table.' },
  },
  examples: [
    'npx firstmile validate mills.geojson --commodity palm',
    'npx firstmile validate mills.geojson -c palm -o mills.checked.csv',
    'npx firstmile validate suppliers.xlsx -c cocoa --repair -o suppliers.checked.geojson',
    'npx firstmile validate - -c cocoa -o - < sites.ndjson | head',
  ],
  async run(context) {
    const { config, err, signal } = context;
    const options = facilityOptions(context);
    const isAny =
      context.options['type'] !== undefined ||
      context.options['routed'] === true ||
      !(await looksLikeJson(context.args[0] ?? ''));
    const format = formatOf(context);
    if (!isAny) refuseUnused(context);
    const target = isAny
      ? { path: (context.options['output'] as string | undefined) ?? null, format: 'geojson' as const }
      : outputOf(context);
    if (target.path !== null && target.path !== '-' && resolve(target.path) === resolve(context.args[0] ?? ''))
      throw new UsageError(`--output: wanted another file than the input, got ${target.path} for both`);
    const { rated, begun } = isAny ? NOT_RATED : await rateByService(context, options, target);
    const hasPlots = !isAny && (await namesProducers(context.args[0] ?? ''));
    if (rated !== null) return finish(context, rated, target, hasPlots);
    // Not loaded before it is needed: a service that runs answers without it.
    const [{ openWorld }, { createFacilityService, FEATURE_BYTES }] = await Promise.all([
      import('../../service/world/world.ts'),
      import('../../service/facilities/facilities.ts'),
    ]);
    const data = await openWorld(
      config,
      commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err),
    );
    try {
      if (isAny)
        return await (await import('./validate-any.ts')).validateAny(context, data, { facility: options, format });
      const facilities = createFacilityService(data, config, FEATURE_BYTES.asTask);
      const input = await openInput(context.args[0] ?? '', begun, facilities);
      const found = await rateHere({ context, facilities, options, target, input, signal });
      return finish(context, found, target, hasPlots);
    } finally {
      await data.close();
    }
  },
};

interface Target {
  /** Null keeps no results, `-` is standard output. */
  readonly path: string | null;
  readonly format: FeatureFormat;
}

interface Input {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null when it is not known beforehand. */
  readonly features: number | null;
}

function facilityOptions({ options, config }: CommandContext): FacilityOptions {
  const radius = Number(options['radius'] ?? 5000);
  if (!(radius >= 1 && radius <= 50_000))
    throw new UsageError(`--radius: wanted metres from 1 to 50000, got "${String(options['radius'])}"`);
  return {
    ...commodityOption(options['commodity'] as string | undefined),
    commodityRadiusM: radius,
    checkWater: options['water'] === true,
    checkPort: options['port'] === true,
    checkRoad: options['no-road'] !== true,
    checkTimeoutMs: config.checkTimeoutMs,
  };
}

function outputOf(context: CommandContext): Target {
  const path = (context.options['output'] as string | undefined) ?? null;
  const ending = path?.slice(path.lastIndexOf('.') + 1).toLowerCase() ?? '';
  const format =
    formatOf(context) ?? FORMAT_BY_ENDING[ending] ?? (path === '-' || path === null ? 'geojson' : undefined);
  if (format === undefined)
    throw new UsageError(
      `--output: wanted a name that ends with .geojson, .ndjson or .csv, got "${path}"; or give --format`,
    );
  return { path, format };
}

function formatOf({ options }: CommandContext): FeatureFormat | undefined {
  const given = options['format'] as string | undefined;
  const format = FORMATS.find((name) => name === given);
  if (given !== undefined && format === undefined)
    throw new UsageError(`--format: wanted one of ${FORMATS.join(', ')}, got "${given}"`);
  return format;
}

/** Options that say how rows are read, of which GeoJSON that is taken for facilities has none. */
function refuseUnused({ options }: CommandContext): void {
  const unused = [...Object.keys(LOCATION_OPTIONS), 'repair'].find((name) => options[name] !== undefined);
  if (unused !== undefined)
    throw new UsageError(
      `--${unused}: wanted --routed or --type with it, because the features of GeoJSON are taken for facilities without them`,
    );
}

/** A file is checked whole before the first result, so that a broken one gives an error and no half output. */
async function openInput(path: string, begun: Beginning | null, facilities: FacilityService): Promise<Input> {
  if (path === '-') return { bytes: begun === null ? process.stdin : wholeOf(begun), features: null };
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UsageError(`FILE: there is no file ${path}`);
  if (!found.isFile()) throw new UsageError(`FILE: ${path} is not a file`);
  const { features } = await facilities.inspect(createReadStream(path));
  return { bytes: createReadStream(path), features };
}

interface Rating {
  readonly context: CommandContext;
  readonly facilities: FacilityService;
  readonly options: FacilityOptions;
  readonly target: Target;
  readonly input: Input;
  readonly signal: AbortSignal;
}

async function rateHere({ context, facilities, options, target, input, signal }: Rating): Promise<RatedFile> {
  const { rateFile } = await import('../../service/facilities/rate-file.ts');
  const barOf = (unit: string) =>
    context.options['quiet'] === true ? NO_PROGRESS_BAR : createProgressBar(context.err, unit);
  const [bar, fetching] = [barOf('facilities'), barOf('cells of map data')];
  try {
    return await rateFile(
      {
        facilities,
        bytes: input.bytes,
        options,
        format: target.format,
        write: (text) => writeResults(text, target, context),
        onRated: (done) => bar.update(done, input.features),
        onFetch: (done, total) => fetching.update(done, total),
      },
      signal,
    );
  } finally {
    bar.finish();
  }
}

interface ByService {
  /** Null where no service runs on the same data, and where it cannot: what is wrong is said here then. */
  readonly rated: RatedFile | null;
  /** What was read of standard input. */
  readonly begun: Beginning | null;
}

const NOT_RATED: ByService = { rated: null, begun: null };

/** Lets a service that runs on the same data rate a small file. */
async function rateByService(context: CommandContext, options: FacilityOptions, target: Target): Promise<ByService> {
  const path = context.args[0] ?? '';
  if (path !== '-') {
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile() || found.size > SMALL_FILE_BYTES) return NOT_RATED;
  }
  const lookups = await connectLookups(context);
  if (lookups === null) return NOT_RATED;
  const begun =
    path === '-'
      ? await readBeginning(process.stdin, SMALL_FILE_BYTES, setTimeout(INPUT_MS, null, { ref: false }))
      : { bytes: await readFile(path), rest: null };
  if (begun.rest !== null) return { rated: null, begun };
  const rated = await lookups.rateFacilities({ bytes: begun.bytes, options, format: target.format });
  if (rated === null) return { rated, begun };
  const { text: results, ...said } = rated;
  await writeResults(only(results), target, context);
  return { rated: said, begun };
}

async function* wholeOf({ bytes, rest }: Beginning): AsyncGenerator<Uint8Array, void> {
  yield bytes;
  if (rest !== null) yield* rest;
}

async function* only(text: string): AsyncGenerator<string, void> {
  yield text;
}

async function writeResults(text: AsyncIterable<string>, { path }: Target, context: CommandContext): Promise<void> {
  if (path === null) for await (const _ of text) continue;
  else await writeText(text, path, context);
}

function finish(
  { options, err }: CommandContext,
  { summary, invalid }: RatedFile,
  target: Target,
  hasPlots: boolean,
): number {
  if (options['quiet'] !== true) err.write(report(summary, invalid, target));
  if (hasPlots) err.write(PLOTS_AS_FACILITIES);
  return summary.confidence_level.invalid > 0 ? 1 : 0;
}

/** Whether a file begins like JSON, which is rated as facilities unless its type is given. */
async function looksLikeJson(path: string): Promise<boolean> {
  if (path === '-') return true;
  await using file = await open(path).catch(() => null);
  if (file === null) return true;
  const head = Buffer.alloc(64);
  const { bytesRead } = await file.read(head, 0, 64, 0);
  return bytesRead === 0 || /^(\ufeff)?\s*[{[]/.test(head.toString('utf8', 0, bytesRead).replaceAll('\u001e', ''));
}

const PLOTS_AS_FACILITIES =
  'Warning: The features name producers of plots (ProducerName, ProducerCountry or ProductionPlace), and were rated as facilities all the same; --routed checks plots as plots.\n';

/** Whether the first features of a file have the columns that the EU information system reads of plots. */
async function namesProducers(path: string): Promise<boolean> {
  if (path === '-') return false;
  await using file = await open(path).catch(() => null);
  if (file === null) return false;
  const head = Buffer.alloc(SMALL_FILE_BYTES);
  const { bytesRead } = await file.read(head, 0, SMALL_FILE_BYTES, 0);
  return /"(?:ProducerName|ProducerCountry|ProductionPlace)"\s*:/.test(head.toString('utf8', 0, bytesRead));
}

function report(summary: FacilitySummary, invalid: readonly string[], target: Target): string {
  const more = summary.confidence_level.invalid - invalid.length;
  const lines = [
    ...facilityReport(summary),
    ...summary.warnings.map(({ message }) => `Warning: ${message}`),
    ...(invalid.length > 0 ? ['Invalid:', ...invalid] : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(target.path === null
      ? ['No --output was given, so only this summary is kept.']
      : target.path === '-'
        ? []
        : [`Results: ${target.path}`]),
  ];
  return `${lines.join('\n')}\n`;
}
