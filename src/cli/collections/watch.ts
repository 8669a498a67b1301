import { openWatchAdmin } from '../../app/watches/watch-admin.ts';
import type { WatchRun, WatchRunDetail } from '../../collections/watch/watch.ts';
import { counted } from '../../counted.ts';
import type { WatchDetail } from '../../service/watches/watches.ts';
import { type Command, UsageError } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { findingText, inWords } from './finding-text.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

const ID = { name: 'ID', doc: 'The id that firstmile collections list shows.' } as const;

export const collectionsWatch: Command = {
  args: [{ ...ID, required: true }],
  options: {
    ...USER_OPTION,
    stop: { type: 'boolean', doc: 'Watches it no longer; its results and its runs stay.' },
  },
  examples: [
    'npx firstmile collections watch 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d',
    'npx firstmile collections watch 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d --stop',
  ],
  async run({ args, options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    const id = args[0] ?? '';
    await using opened = await openWatchAdmin(config);
    if (options['stop'] === true) {
      await opened.watches.unwatchCollection({ userId, id });
      out.write(`The collection ${id} is not watched any more.\n`);
      return 0;
    }
    out.write(watchText(await opened.watches.watchCollection({ userId, id })));
    return 0;
  },
};

export const collectionsWatched: Command = {
  args: [{ ...ID, required: false }],
  options: {
    ...USER_OPTION,
    run: { type: 'string', value: 'N', doc: 'What this run found differently, plot by plot; needs ID.' },
    json: { type: 'boolean', doc: 'JSON instead of text.' },
  },
  examples: [
    'npx firstmile collections watched',
    'npx firstmile collections watched 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d --run 3',
  ],
  async run({ args, options, config, out, err }) {
    const run = options['run'] === undefined ? null : Number(options['run']);
    const [id] = args;
    if (run !== null && (id === undefined || !Number.isInteger(run) || run < 1))
      throw new UsageError(`--run: wanted ID and the number of a run, got "${String(options['run'])}"`);
    const userId = await userIdOf(options['user'], config);
    await using opened = await openWatchAdmin(config);
    const print = <T>(found: T, text: (found: T) => string): void =>
      void out.write(options['json'] === true ? `${JSON.stringify(found, null, 2)}\n` : text(found));
    if (id === undefined) {
      const found = await opened.watches.listWatches({ userId });
      if (found.length === 0 && options['json'] !== true) err.write('No collection is watched.\n');
      else
        print(found, (watches) =>
          textTable(
            ['id', 'since', 'last run', 'changed', 'new', 'not measured', 'name'],
            watches.map(({ collectionId, collectionName, createdAt, lastRun }) => [
              collectionId,
              createdAt.toISOString().slice(0, 10),
              lastRun === null ? 'none yet' : inWords(lastRun.state),
              String(lastRun?.counts?.changed ?? ''),
              String(lastRun?.counts?.only_after_not_cleared ?? ''),
              String(lastRun?.counts?.not_measured ?? ''),
              collectionName,
            ]),
            [3, 4, 5],
          ),
        );
    } else if (run !== null) print(await opened.watches.showWatchRun({ userId, id, run }), runText);
    else print(await opened.watches.showWatch({ userId, id }), watchText);
    return 0;
  },
};

function watchText({ watch, runs }: WatchDetail): string {
  const head =
    watch === null
      ? 'The collection is not watched.\n'
      : `The collection ${watch.collectionId} is watched since ${watch.createdAt.toISOString()}.\n`;
  const again =
    watch?.againAt == null ? '' : `What could not be measured is tried again at ${watch.againAt.toISOString()}.\n`;
  if (runs.length === 0) return `${head}It was not measured again yet.\n`;
  const rows = runs.map((run) => [
    String(run.number),
    run.startedAt.toISOString().slice(0, 16).replace('T', ' '),
    inWords(run.state),
    String(run.counts?.changed ?? ''),
    String(run.counts?.worse ?? ''),
    String(run.counts?.better ?? ''),
    String(run.counts?.only_after_not_cleared ?? ''),
    String(run.counts?.not_measured ?? ''),
    run.reason ?? datasetsText(run),
  ]);
  const table = textTable(
    ['run', 'begun', 'state', 'changed', 'worse', 'better', 'new', 'not measured', 'why'],
    rows,
    [0, 3, 4, 5, 6, 7],
  );
  return `${head}${again}${table}`;
}

function runText(run: WatchRunDetail): string {
  const rows = run.changes.map(({ plot, direction, before, after }) => [
    plot,
    direction,
    findingText(before),
    findingText(after),
  ]);
  const fresh = run.newPlots.map(({ plot, after }) => `${plot}: ${findingText(after)}\n`);
  const missing = run.unmeasured.map(({ plot, reasons }) => `${plot}: ${reasons.join('; ')}\n`);
  return [
    `Run ${run.number}: ${inWords(run.state)}. ${run.reason ?? datasetsText(run)}\n`,
    ...(run.counts === null ? [] : [countsText(run.counts, run)]),
    ...(rows.length === 0 ? [] : [textTable(['plot', 'direction', 'before', 'after'], rows)]),
    ...(fresh.length === 0 ? [] : ['Not there before, with signs of deforestation or not settled:\n', ...fresh]),
    ...(missing.length === 0 ? [] : [`Could not be measured; what was known of them stays:\n`, ...missing]),
  ].join('');
}

/** A report names a limited number of plots: how many there are is in its counts alone. */
function countsText(
  counts: NonNullable<WatchRunDetail['counts']>,
  { changes, unmeasured, newPlots }: WatchRunDetail,
): string {
  const { plots, unchanged, changed, worse, better, not_measured: missing } = counts;
  const { only_before: gone, only_after: fresh, only_after_not_cleared: open } = counts;
  const isCut = changed > changes.length || missing > unmeasured.length;
  const cut = isCut ? ` Listed are the first ${changes.length} and ${unmeasured.length} of them.` : '';
  const first = (open ?? 0) > newPlots.length ? ` (the first ${newPlots.length} are listed)` : '';
  const onlyText =
    (gone ?? 0) + (fresh ?? 0) === 0
      ? ''
      : `Read by one run alone: ${gone} before, ${fresh} after, ${open} of these with signs of deforestation or not settled${first}.\n`;
  return `${counted(plots, 'plot')}: ${unchanged} unchanged, ${changed} changed (${worse} worse, ${better} better), ${missing} could not be measured.${cut}\n${onlyText}`;
}

function datasetsText({ datasets, number }: WatchRun): string {
  if (datasets.length === 0) return number === 1 ? 'the first run' : 'tried again';
  return datasets
    .map(({ dataset, before, after }) => `${dataset} ${before ?? 'new'} -> ${after ?? 'removed'}`)
    .join(', ');
}
