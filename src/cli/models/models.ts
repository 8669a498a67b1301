import {
  installedHeads,
  installModel,
  modelsFolder,
  publishedModel,
  removeHeads,
} from '../../service/models/installed-models.ts';
import { type Command, UsageError } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const modelsList: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of a table.' } },
  examples: ['npx firstmile models list'],
  async run({ config, err, options, out }) {
    const heads = await installedHeads(config);
    if (options['json'] === true) {
      out.write(
        `${JSON.stringify(
          heads.map(({ id, about }) => ({ id, ...about })),
          null,
          2,
        )}\n`,
      );
      return 0;
    }
    if (heads.length === 0) {
      err.write(`There is no model in ${modelsFolder(config)}; npx firstmile models install fdp-2026a\n`);
      return 0;
    }
    const rows = heads.map(({ id, about: { commodity, threshold, licence, attribution, training, ...ground } }) => [
      id,
      commodity ?? 'none',
      String(threshold),
      training === undefined ? 'no' : `AUC ${training.scores.auc.toFixed(3)}, F1 ${training.scores.f1.toFixed(3)}`,
      groundOf(ground),
      licence,
      attribution,
    ]);
    out.write(textTable(['head', 'answers for', 'threshold', 'trained here', 'where', 'licence', 'attribution'], rows));
    for (const { id, about } of heads)
      for (const warning of about.training?.warnings ?? []) err.write(`${id}: ${warning}\n`);
    return 0;
  },
};

type Ground = Pick<Awaited<ReturnType<typeof installedHeads>>[number]['about'], 'bbox' | 'latitude'>;

function groundOf({ bbox, latitude }: Ground): string {
  if (bbox === undefined) return `${latitude} S to ${latitude} N`;
  return bbox.map((degrees) => Number(degrees.toFixed(3))).join(', ');
}

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

export const modelsRemove: Command = {
  args: [{ name: 'NAME', doc: 'A head or a model, as firstmile models list shows them.', required: true }],
  options: {},
  examples: ['npx firstmile models remove soy-2024', 'npx firstmile models remove fdp-2025b'],
  async run({ args, config, err }) {
    const removed = await removeHeads(config, args[0] ?? '').catch((error: unknown) => {
      throw new UsageError(`NAME: ${(error as Error).message}`, { cause: error });
    });
    err.write(`Removed ${removed.join(', ')}. A running service notices at its next request.\n`);
    return 0;
  },
};
