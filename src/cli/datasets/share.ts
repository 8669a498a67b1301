import { openSharedData, type SharedData } from '../../service/shared-data/sync-data.ts';
import { thingsOf } from '../../service/shared-data/installed-things.ts';
import { pruneFiles } from '../../service/shared-data/shared-things.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';

export const dataPush: Command = {
  args: [
    {
      name: 'ID',
      doc: 'One of them, such as packs/uganda; default: all that `data push --list` shows.',
      required: false,
    },
  ],
  options: {
    list: { type: 'boolean', doc: 'Lists what the data folder holds that can be shared, and stops.' },
    prune: { type: 'boolean', doc: 'Also removes files that nothing names any more. Not while others push.' },
  },
  examples: ['npx firstmile data push', 'npx firstmile data push stores/aef', 'npx firstmile data push --prune'],
  async run({ args, config, err, options, out, signal }) {
    const things = await thingsOf(config);
    if (options['list'] === true) {
      out.write([...things.keys()].map((id) => `${id}\n`).join(''));
      return 0;
    }
    const [id] = args;
    const chosen = id === undefined ? [...things.values()] : [...things.values()].filter((thing) => thing.id === id);
    if (id !== undefined && chosen.length === 0)
      throw new UsageError(
        `ID: there is no "${id}" in DATA_DIR; there are: ${[...things.keys()].join(', ') || 'none'}`,
      );
    await using shared = wantShared(config);
    for (const thing of chosen) {
      let bytes = 0;
      await shared.push([thing], (size) => (bytes += size), signal);
      err.write(`${thing.id}: ${(bytes / 1e6).toFixed(1)} MB in ${shared.place}\n`);
    }
    if (options['prune'] === true) err.write(`${await pruneFiles(shared.objects)} files removed that nothing names\n`);
    return 0;
  },
};

export const dataPull: Command = {
  args: [],
  options: {
    force: { type: 'boolean', doc: 'Takes what is shared in place of what this data folder has under the same name.' },
  },
  examples: ['npx firstmile data pull'],
  async run({ config, err, options, signal }) {
    await using shared = wantShared(config);
    const { pulled, removed, unshared } = await shared.pull(signal, { force: options['force'] === true });
    for (const id of pulled) err.write(`${id}: fetched from ${shared.place}\n`);
    for (const id of removed) err.write(`${id}: removed, as it is no longer shared\n`);
    for (const id of unshared) err.write(`${id}: not shared, or other than what is shared; see data push\n`);
    if (pulled.length + removed.length === 0) err.write('The data folder has all that is shared.\n');
    return unshared.length > 0 ? 1 : 0;
  },
};

function wantShared(config: CommandContext['config']): SharedData {
  const shared = openSharedData(config);
  if (shared === null) throw new UsageError('OBJECT_STORE_URL is not set: there is no bucket to share data through');
  return shared;
}
