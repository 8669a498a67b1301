import { installedHeads, modelsFolder } from '../service/detection-models.ts';
import type { Command } from './command.ts';
import { textTable } from './text-table.ts';

export const modelsList: Command = {
  name: 'models list',
  summary: 'Lists the installed detection heads with thresholds, licences and where they came from.',
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array in place of a table.' } },
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
      err.write(`There is no model in ${modelsFolder(config)}; npx firstmile models install fdp-2025b\n`);
      return 0;
    }
    const rows = heads.map(({ id, about: { commodity, threshold, latitude, licence, attribution } }) => [
      id,
      commodity,
      String(threshold),
      `${latitude} S to ${latitude} N`,
      licence,
      attribution,
    ]);
    out.write(textTable(['head', 'commodity', 'threshold', 'latitudes', 'licence', 'attribution'], rows));
    return 0;
  },
};
