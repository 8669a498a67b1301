import { storeInfo } from '../../service/labels/info.ts';
import { storeFolders, storesFolder } from '../../service/labels/label-store.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const storeList: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of a table.' } },
  examples: ['npx firstmile store list'],
  async run({ config, options, out, err, signal }) {
    const stores = [];
    for (const { path, name } of await storeFolders(config.dataDir)) {
      const info = await storeInfo(path, signal).catch((error: unknown) => {
        err.write(`firstmile store list: ${(error as Error).message}\n`);
        return null;
      });
      if (info !== null) stores.push({ name, ...info });
    }
    if (options['json'] === true) out.write(`${JSON.stringify(stores, null, 2)}\n`);
    else if (stores.length === 0) err.write(`There is no store in ${storesFolder(config)}.\n`);
    else {
      const rows = stores.flatMap(({ name, dataset, layers }) =>
        layers.map(({ entry, tiles, segments, bytes }) =>
          [
            dataset.synthetic ? `${name} (synthetic)` : name,
            dataset.version,
            entry.raster,
            entry.year,
            tiles,
            segments,
            bytes,
          ].map((value) =>
            typeof value === 'number' && value !== entry.year ? value.toLocaleString('en') : String(value),
          ),
        ),
      );
      out.write(textTable(['store', 'version', 'raster', 'year', 'tiles', 'segments', 'bytes'], rows, [4, 5, 6]));
    }
    return 0;
  },
};
