import { installModel, publishedModel } from '../../service/models/installed-models.ts';
import { UsageError, type Command } from '../command.ts';

export const modelsInstall: Command = {
  args: [{ name: 'MODEL', doc: 'The model, such as fdp-2026a.', required: true }],
  options: {
    from: {
      type: 'string',
      value: 'PLACE',
      doc: 'Folder or address with the archives, instead of the public address.',
    },
    quiet: { type: 'boolean', short: 'q', doc: 'No summary.' },
  },
  examples: ['npx firstmile models install fdp-2026a', 'npx firstmile models install fdp-2025b --from /mnt/mirror/fdp'],
  async run({ args, config, err, options, signal }) {
    const model = modelNamed(args[0] ?? '');
    const say = (text: string): void => void (options['quiet'] === true || err.write(text));
    const report = ({ about: { commodity, sha256 }, bytes }: Parameters<Parameters<typeof installModel>[3]>[0]): void =>
      say(`${commodity}: ${bytes} bytes, SHA-256 of the archive ${sha256}\n`);
    const from = (options['from'] as string | undefined) ?? null;
    await installModel(config, model, from, report, signal);
    say(
      `Installed ${model.id} (${model.licence}). ${model.attribution}. A running service answers from it at its next request.\n`,
    );
    return 0;
  },
};

function modelNamed(id: string) {
  try {
    return publishedModel(id);
  } catch (error) {
    throw new UsageError(`MODEL: ${(error as Error).message}`, { cause: error });
  }
}
