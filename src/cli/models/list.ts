import { installedHeads, modelsFolder } from '../../service/models/installed-models.ts';
import type { Command } from '../command.ts';
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
