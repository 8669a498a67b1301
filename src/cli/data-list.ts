import { datasetInfo, openServiceCatalogue } from '../service/catalogue.ts';
import { builtStoreDatasets } from '../service/label-store.ts';
import { commandLog } from './command-log.ts';
import type { Command } from './command.ts';
import { textTable } from './text-table.ts';

export const dataList: Command = {
  name: 'data list',
  summary: 'Lists the datasets the answers come from, with versions and licences.',
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array in place of a table.' } },
  examples: ['npx firstmile data list', 'npx firstmile data list --json | jq .'],
  async run({ options, config, out, err }) {
    const catalogue = await openServiceCatalogue(config, commandLog(config, err));
    const datasets = [...catalogue.datasets, ...(await builtStoreDatasets(config.dataDir))].map(datasetInfo);
    const rows = datasets.map(({ id, role, version, licence, attribution, synthetic }) => [
      synthetic ? `${id} (synthetic)` : id,
      role,
      version,
      licence,
      attribution,
    ]);
    const table = textTable(['id', 'role', 'version', 'licence', 'attribution'], rows);
    out.write(options['json'] === true ? `${JSON.stringify(datasets, null, 2)}\n` : table);
    return 0;
  },
};
