import { openCollectionAdmin } from '../../app/collections-admin.ts';
import type { CollectionWork } from '../../service/collections/collections.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

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
    ['Status', collection.status],
    ['File', `${file.name} (${file.size} bytes, SHA-256 ${file.sha256})`],
    ['Crop', options?.cropType ?? null],
    ['Monitoring', options === null ? null : `${options.monitoringStart} to ${options.monitoringEnd}`],
    [
      'Locations',
      counts &&
        `${counts.locations}: ${counts.plots} plots, ${counts.facilities} facilities; ${counts.measured} measured, ${counts.problems} with a problem`,
    ],
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
