import { batchGap } from '../../collections/batch-gap.ts';
import type { Collection } from '../../collections/collection.ts';
import { GROUP_WORDS, PLOT_GROUPS, type PlotGroup } from '../../collections/plot-group.ts';
import { counted } from '../../counted.ts';
import { openCollectionAdmin } from '../../app/collections-admin.ts';
import { type Command, UsageError } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import type { CollectionWork } from '../../service/collections/collections.ts';

const MAX_LIMIT = 1_000;

export const collectionsList: Command = {
  args: [],
  options: {
    ...USER_OPTION,
    limit: { type: 'string', value: 'N', doc: `At most this many, up to ${MAX_LIMIT}; default 50.` },
    json: { type: 'boolean', doc: 'One JSON array instead of a table.' },
  },
  examples: ['npx firstmile collections list', 'npx firstmile collections list --user ada@example.org --json'],
  async run({ options, config, out, err }) {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new UsageError(`--limit: wanted a whole number from 1 to ${MAX_LIMIT}, got "${String(options['limit'])}"`);
    const userId = await userIdOf(options['user'], config);
    await using opened = await openCollectionAdmin(config);
    const found = await opened.collections.listCollections({ userId, limit });
    if (options['json'] === true) out.write(`${JSON.stringify(found, null, 2)}\n`);
    else if (found.length === 0) err.write('There are no collections.\n');
    else {
      const rows = found.map((collection) => [
        collection.id,
        stateText(collection),
        rowsText(collection),
        collection.name,
      ]);
      out.write(textTable(['id', 'status', 'rows', 'name'], rows));
    }
    return 0;
  },
};

/** Groups of rows in the words of the list. */
const SHOWN_GROUPS = [
  ['deforested', 'signs'],
  ['open', 'not settled'],
  ['cleared', 'none found'],
  ['left_out', 'not fit'],
] as const satisfies readonly (readonly [PlotGroup, string])[];

/** How many rows a collection has, and in which groups. */
function rowsText({ counts }: Collection): string {
  if (counts === null) return '';
  const groups = SHOWN_GROUPS.flatMap(([group, words]) => {
    const count = counts.groups?.[group] ?? 0;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return groups.length === 0 ? String(counts.locations) : `${counts.locations}: ${groups.join(', ')}`;
}

/** A batch that leaves something open is not shown as a plain success. */
function stateText(collection: Collection): string {
  const gap = collection.status === 'completed' ? batchGap(collection) : null;
  return gap === null ? collection.status : `${collection.status}, ${gap}`;
}

export const collectionsShow: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile collections list shows.', required: true }],
  options: { ...USER_OPTION, json: { type: 'boolean', doc: 'JSON instead of text.' } },
  examples: ['npx firstmile collections show 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d'],
  async run({ args, options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openCollectionAdmin(config);
    const shown = await opened.collections.showCollection({ userId, id: args[0] ?? '' });
    out.write(options['json'] === true ? `${JSON.stringify(shown, null, 2)}\n` : collectionText(shown));
    return 0;
  },
};

/** A collection as lines for people. */
export function collectionText({ collection, task }: CollectionWork): string {
  const { file, counts, options, error, confidenceReasons: reasons, createdAt, completedAt } = collection;
  const fields: readonly (readonly [string, string | null])[] = [
    ['Collection', collection.id],
    ['Name', collection.name],
    ['Description', collection.description === '' ? null : collection.description],
    ['Status', stateText(collection)],
    ['File', `${file.name} (${file.size} bytes, SHA-256 ${file.sha256})`],
    ['Crop', options?.cropType ?? null],
    ['Monitoring', options === null ? null : `${options.monitoringStart} to ${options.monitoringEnd}`],
    [
      'Locations',
      counts &&
        `${counts.locations}: ${counted(counts.plots, 'plot')}, ${counted(counts.facilities, 'facility', 'facilities')}; of the plots ${counts.measured} measured, ${counts.plots - counts.measured} not; ${counted(counts.problems, 'location')} with a problem`,
    ],
    ...PLOT_GROUPS.filter((group) => (counts?.groups?.[group] ?? 0) > 0).map(
      (group, i) => [i === 0 ? 'Rows' : '', `${counts?.groups?.[group]} ${GROUP_WORDS[group]}`] as const,
    ),
    ['Confidence', collection.locationsConfidence],
    ...(reasons ?? []).slice(0, 10).map((reason) => ['', reason] as const),
    ['Error', error && `${error.code}: ${error.detail}`],
    [
      'Task',
      task &&
        `${task.id} ${task.status}, ${task.progress.done} of ${task.progress.total ?? '?'}${task.phase === null ? '' : `, ${task.phase}`}`,
    ],
    ['Created', createdAt.toISOString()],
    ['Completed', completedAt?.toISOString() ?? null],
  ];
  return fields
    .filter((field): field is readonly [string, string] => field[1] !== null)
    .map(([name, value]) => `${name.padEnd(12)}${value}\n`)
    .join('');
}

export const collectionsDelete: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile collections list shows.', required: true }],
  options: { ...USER_OPTION },
  examples: ['npx firstmile collections delete 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d'],
  async run({ args, options, config, err }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openCollectionAdmin(config);
    await opened.collections.deleteCollection({ userId, id: args[0] ?? '' });
    err.write(`The collection ${args[0]} is deleted.\n`);
    return 0;
  },
};
