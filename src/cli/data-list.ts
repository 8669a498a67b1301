import { openFacilityData } from '../service/facility-data.ts';
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
    const data = await openFacilityData(config, commandLog(config, err));
    try {
      if (options['json'] === true) out.write(`${JSON.stringify(data.datasets, null, 2)}\n`);
      else
        out.write(
          textTable(
            ['id', 'role', 'version', 'licence', 'attribution'],
            data.datasets.map(({ id, role, version, licence, attribution }) => [
              id,
              role,
              version,
              licence,
              attribution,
            ]),
          ),
        );
      return 0;
    } finally {
      await data.close();
    }
  },
};
