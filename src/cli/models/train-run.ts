import { COMMODITIES } from '../../facilities/commodity/commodities.ts';
import { parseCommodity } from '../../facilities/commodity/commodity-names.ts';
import { openServiceCatalogue } from '../../service/datasets/catalogue.ts';
import { installedHeads, modelsFolder } from '../../service/models/installed-models.ts';
import { openForestSources } from '../../service/forest/sources.ts';
import { trainHead } from '../../service/models/train-head.ts';
import { readTrainingLabels } from '../../service/models/training-labels.ts';
import { TrainingRefused, TRAINING_RULES } from '../../service/models/training-rules.ts';
import { commandLog } from '../parts/command-log.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { createProgressBar, NO_PROGRESS_BAR } from '../parts/progress-bar.ts';
import { textTable } from '../parts/text-table.ts';

const HEADINGS = ['left out', 'with', 'without', 'AUC', 'F1', 'precision', 'recall'];

/** What a head can be made for. */
const SUBJECTS: readonly string[] = [...COMMODITIES, 'plantation', 'built-up'];

/** The likeliest cause, and what helps. */
const UNREADABLE_HINT =
  'The public embeddings are read over the network. Without one, name a GeoTIFF of embeddings in a catalogue and set CATALOGUE to it, or bring the values in columns A00 to A63.\n';

/** Time for one read of embeddings: training is no lookup. */
const PATIENCE_MS = 600_000;

/** Trains a head as `firstmile models train` was called and returns the exit code. */
export async function runModelsTrain(context: CommandContext): Promise<number> {
  const { config, err, out, options, signal } = context;
  const path = textOf(options, 'labels');
  const name = await nameOf(context);
  const commodity = commodityOf(options['commodity']);
  const blockDegrees = blockOf(options['block']);
  const columns = {
    label: (options['column'] as string | undefined) ?? 'label',
    positive: (options['positive'] as string | undefined) ?? null,
  };
  const isQuiet = options['quiet'] === true;
  const bar = isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, 'labels');
  const opened = await openForestSources(await embeddingsOf(context), config);
  try {
    const labels = await readTrainingLabels(path, columns, signal).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      throw new UsageError(`--labels: ${path} cannot be read (${error.code})`);
    });
    const receipt = await trainHead(
      config,
      {
        labels,
        columns,
        name,
        commodity,
        blockDegrees,
        licence: (options['licence'] as string | undefined) ?? 'not stated',
        attribution: (options['attribution'] as string | undefined) ?? `Fitted here on ${labels.file}`,
        now: new Date(),
      },
      opened.embeddings,
      signal,
      {
        onRead: (done) => bar.update(done, labels.points.length),
        onStep: (text) => {
          bar.finish();
          if (!isQuiet) err.write(`${text}\n`);
        },
      },
    );
    const { threshold, ...rest } = receipt;
    out.write(
      options['json'] === true
        ? `${JSON.stringify({ id: name, commodity, threshold, ...rest }, null, 2)}\n`
        : trainingReport(name, commodity, receipt),
    );
    if (!isQuiet)
      err.write(`Kept in ${modelsFolder(config)}. A running service answers from it at its next request.\n`);
    return 0;
  } catch (error) {
    const isRead = error instanceof Error && error.name === 'ByteSourceError';
    if (!(error instanceof TrainingRefused) && !isRead) throw error;
    err.write(`firstmile models train: ${error.message}\nNothing was kept.\n${isRead ? UNREADABLE_HINT : ''}`);
    return 1;
  } finally {
    bar.finish();
    await opened.close();
  }
}

async function embeddingsOf({ config, err }: CommandContext) {
  const { ofRole } = await openServiceCatalogue(config, commandLog({ ...config, logLevel: 'error' }, err));
  return ofRole('embeddings').map((dataset) => ({
    ...dataset,
    options: { deadlineMs: PATIENCE_MS, ...dataset.options },
  }));
}

function textOf(options: CommandContext['options'], name: string): string {
  const text = options[name];
  if (typeof text === 'string' && text !== '') return text;
  throw new UsageError(`--${name} is missing`);
}

/** The name, which nothing else in the catalogue may have. */
async function nameOf({ config, options, err }: CommandContext): Promise<string> {
  const name = textOf(options, 'name');
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(name))
    throw new UsageError(
      `--name: wanted up to 60 of a-z, 0-9 and "-", beginning with a letter or digit, got "${name}"`,
    );
  const own = (await installedHeads(config)).find(({ id, about }) => id === name && about.training !== undefined);
  if (own !== undefined) {
    if (options['replace'] === true) return name;
    throw new UsageError(`--name: there is a head ${name} already; --replace takes its place`);
  }
  const { datasets } = await openServiceCatalogue(config, commandLog({ ...config, logLevel: 'error' }, err));
  if (datasets.some(({ id }) => id === name)) throw new UsageError(`--name: there is a dataset ${name} already`);
  return name;
}

function commodityOf(text: unknown): string | null {
  if (text === undefined) return null;
  const known = parseCommodity(String(text));
  if (known !== null) return known;
  if (SUBJECTS.includes(String(text))) return String(text);
  throw new UsageError(`--commodity: wanted one of ${SUBJECTS.join(', ')}, got "${String(text)}"`);
}

function blockOf(text: unknown): number {
  const { default: usual, least, most } = TRAINING_RULES.blockDegrees;
  if (text === undefined) return usual;
  const degrees = Number(text);
  if (degrees >= least && degrees <= most) return degrees;
  throw new UsageError(`--block: wanted ${least} to ${most} degrees, got "${String(text)}"`);
}

type Receipt = Awaited<ReturnType<typeof trainHead>>;
type Part = Receipt['scores']['folds'][number];

/** What a person reads after training: what went in, how good it is where it had not looked, and what to beware of. */
function trainingReport(name: string, commodity: string | null, receipt: Receipt): string {
  const { labels, blocks, embeddings, years, scores, strength, threshold, warnings } = receipt;
  const left = [
    `${labels.duplicates} duplicates`,
    `${labels.contradictions} in pixels with both labels`,
    `${labels.without_embeddings} without embeddings`,
  ];
  const all: Part = { name: 'all folds', positive: labels.positive, negative: labels.negative, ...scores };
  const parts = [...scores.folds, ...scores.regions.map((part) => ({ ...part, name: `region ${part.name}` }))];
  return [
    `${name}: ${labels.positive} pixels with the label, ${labels.negative} without, in ${blocks.count} blocks of ${blocks.degrees} degrees.`,
    `Of ${labels.rows} rows left out: ${left.join(', ')}.`,
    `Embeddings: ${embeddings.join(', ')}${years.length > 0 ? `, ${years.join(', ')}` : ''}. Labels: ${labels.file}, SHA-256 ${labels.sha256}.`,
    `Threshold ${threshold}, strength of the fit ${strength}. Each line: a head fitted, and its threshold chosen, without that ground.`,
    '',
    textTable(HEADINGS, [all, ...parts].map(cellsOf), [1, 2, 3, 4, 5, 6]).trimEnd(),
    ...(scores.regions_too_small > 0
      ? [`${scores.regions_too_small} more regions have too few labels of a class to be evaluated.`]
      : []),
    '',
    ...warnings.map((warning) => `WARNING: ${warning}`),
    ...(commodity === null
      ? ['No --commodity was given: the head is kept, but answers nothing.']
      : [`It answers for ${commodity} on the ground of its labels, before any published head.`]),
    '',
  ].join('\n');
}

function cellsOf({ name, positive, negative, auc, f1, precision, recall }: Part): string[] {
  const rates = [auc, f1, precision, recall].map((rate) => (rate === null ? '-' : rate.toFixed(3)));
  return [name, String(positive), String(negative), ...rates];
}
