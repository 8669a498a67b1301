import { listDatasets } from '../../service/datasets/list-datasets.ts';
import { commandLog } from '../parts/command-log.ts';
import type { Command } from '../command.ts';
import { datasetTable } from './dataset-table.ts';

export const dataList: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of a table, an entry for each theme of a pack.' } },
  examples: ['npx firstmile data list', 'npx firstmile data list --json | jq .'],
  async run({ options, config, out, err }) {
    const datasets = await listDatasets(config, commandLog(config, err));
    out.write(options['json'] === true ? `${JSON.stringify(datasets, null, 2)}\n` : datasetTable(datasets));
    return 0;
  },
};
