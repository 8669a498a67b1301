import { storeInfo, type StoreInfo, type StoreLayerInfo } from '../../service/labels/info.ts';
import { storeFolders, storesFolder } from '../../service/labels/label-store.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { storeFolder } from './store-arguments.ts';

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

export const storeInfoCommand: Command = {
  args: [
    {
      name: 'FOLDER',
      doc: 'Folder of the store, or its name in `firstmile store list`; default: the one in DATA_DIR.',
      required: false,
    },
  ],
  options: { json: { type: 'boolean', doc: 'JSON instead of tables.' } },
  examples: ['npx firstmile store info', 'npx firstmile store info /shared/labels --json | jq .layers'],
  async run(context) {
    const folder = await storeFolder(context);
    const info = await storeInfo(folder, context.signal);
    if (info === null) throw new Error(`${folder}: there is no label store`);
    context.out.write(context.options['json'] === true ? `${JSON.stringify(info, null, 2)}\n` : describe(info));
    return 0;
  },
};

function describe({ folder, dataset, layers }: StoreInfo): string {
  const head = [
    `${folder}`,
    `from ${dataset.id} ${dataset.version}${dataset.synthetic ? ' (synthetic)' : ''}, ${dataset.licence}`,
    dataset.attribution,
  ];
  return `${head.join('\n')}\n${layers.map((layer) => `\n${describeLayer(layer)}`).join('')}`;
}

function describeLayer({ entry, tiles, cells, segments, areaKm2, bytes, seconds }: StoreLayerInfo): string {
  const all = Object.values(cells).reduce((sum, count) => sum + count, 0);
  const share = (count: number): string => (all === 0 ? '' : `${((100 * count) / all).toFixed(1)} %`);
  const rows = [
    ['raster', `${entry.raster}, ${entry.year}`, ''],
    ['algorithm', entry.algorithm, ''],
    ['cells', `${entry.lattice.cellWidth} x ${entry.lattice.cellHeight} in ${entry.lattice.crs}`, ''],
    ['tiles', number(tiles), ''],
    ...(areaKm2 === null ? [] : [['square kilometres', number(areaKm2), '']]),
    ...Object.entries(cells).map(([state, count]) => [`cells ${state}`, number(count), share(count)]),
    ['segments', number(segments), ''],
    ['bytes', number(bytes), ''],
    ['seconds of work', number(seconds), ''],
  ];
  return textTable([entry.path, '', ''], rows);
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}
