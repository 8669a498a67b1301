import { openWatchAdmin } from '../../app/watches/watch-admin.ts';
import type { BatchRun } from '../../collections/collection.ts';
import { GROUP_WORDS, PLOT_GROUPS } from '../../collections/plot-group.ts';
import { counted } from '../../counted.ts';
import type { ComparedBatches } from '../../service/collections/compare-batches.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { findingText } from './finding-text.ts';

export const collectionsChanges: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile collections list shows.', required: true }],
  options: {
    ...USER_OPTION,
    before: {
      type: 'string',
      value: 'RUN',
      doc: 'The earlier batch, by the id that is listed below; default: the one before the later.',
    },
    after: { type: 'string', value: 'RUN', doc: 'The later batch; default: the last one.' },
    json: { type: 'boolean', doc: 'JSON instead of text.' },
  },
  examples: [
    'npx firstmile collections changes 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d',
    'npx firstmile collections changes 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d --before 7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60',
  ],
  async run({ args, options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openWatchAdmin(config);
    const { before, after } = options as { readonly before?: string; readonly after?: string };
    const found = await opened.watches.compareCollection({
      userId,
      id: args[0] ?? '',
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    });
    out.write(options['json'] === true ? `${JSON.stringify(found.comparison, null, 2)}\n` : changesText(found));
    return 0;
  },
};

function changesText({ collection, comparison }: ComparedBatches): string {
  const { period, counts, changes, unmeasured } = comparison;
  const [before, after] = [comparison.before.counts.groups, comparison.after.counts.groups];
  const at = ({ completedAt }: BatchRun): string => completedAt.toISOString().slice(0, 16).replace('T', ' ');
  const groups = PLOT_GROUPS.filter((group) => (before?.[group] ?? 0) + (after?.[group] ?? 0) > 0);
  return [
    `Batch of ${at(comparison.before)} and batch of ${at(comparison.after)}, both for ${period.monitoringStart} to ${period.monitoringEnd}.\n`,
    `${counted(counts.plots, 'plot')}: ${counts.unchanged} unchanged, ${counts.changed} changed (${counts.worse} worse, ${counts.better} better), ${counts.not_measured} could not be measured this time.\n`,
    ...(counts.onlyBefore + counts.onlyAfter === 0
      ? []
      : [`Read by one batch alone: ${counts.onlyBefore} before, ${counts.onlyAfter} after.\n`]),
    ...(before == null || after == null
      ? []
      : [
          textTable(
            ['rows', 'before', 'after'],
            groups.map((group) => [GROUP_WORDS[group], String(before[group]), String(after[group])]),
            [1, 2],
          ),
        ]),
    ...(changes.length === 0
      ? []
      : [
          textTable(
            ['row', 'plot', 'direction', 'before', 'after'],
            changes.map((one) => [
              String(one.row),
              one.plot,
              one.direction,
              findingText(one.before),
              findingText(one.after),
            ]),
            [0],
          ),
        ]),
    ...unmeasured.map(
      ({ row, plot, reasons }) => `Row ${row}, ${plot}, could not be measured: ${reasons.join('; ')}\n`,
    ),
    ...(collection.runs.length < 3
      ? []
      : [
          'Kept:\n',
          textTable(
            ['batch', 'completed'],
            collection.runs.map((run) => [run.id, at(run)]),
          ),
        ]),
  ].join('');
}
