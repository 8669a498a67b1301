import { listDatasets } from '../../service/datasets/list-datasets.ts';
import { commandLog } from '../parts/command-log.ts';
import { type Command, UsageError } from '../command.ts';
import { datasetTable } from './dataset-table.ts';
import type { InstalledPack } from '../../readers/packs/manifest.ts';
import { AUTO_ID } from '../../service/auto-data/auto-packs.ts';
import { withdrawSharedCells } from '../../service/auto-data/shared-cells.ts';
import { listAutoPacks, verifyAutoPack } from '../../service/auto-data/verify-auto-data.ts';
import { listPacks, removeInstalledPack, verifyInstalledPack } from '../../service/datasets/pack-folder.ts';
import { registryDatasets, registryFault } from '../../service/datasets/registries.ts';
import { createProgressBar } from '../parts/progress-bar.ts';

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

export const dataVerify: Command = {
  args: [
    {
      name: 'PACK',
      doc: `One pack or registry, or ${AUTO_ID} for what was fetched by itself; default: all.`,
      required: false,
    },
  ],
  options: {},
  examples: ['npx firstmile data verify', 'npx firstmile data verify ghana-latest'],
  async run({ args, config, out, err, signal }) {
    const { packs, faults: broken } = await listPacks(config);
    const isChosen = (id: string): boolean => args[0] === undefined || id === args[0];
    const chosen = packs.filter(({ manifest }) => isChosen(manifest.id));
    const fetched = isChosen(AUTO_ID) ? await listAutoPacks(config) : { packs: [], faults: [] };
    const registries = (await registryDatasets(config)).filter(({ id }) => isChosen(id));
    const found = chosen.length + registries.length + fetched.packs.length + fetched.faults.length;
    if (args[0] !== undefined && found + broken.length === 0)
      throw new UsageError(`PACK: there is no pack or registry "${args[0]}"; firstmile data verify lists them`);
    for (const fault of [...broken, ...fetched.faults]) err.write(`${fault.message}\n`);
    const total = featuresOf([...chosen, ...fetched.packs]);
    const bar = createProgressBar(err, 'features');
    let done = 0;
    const onTheme = (_: string, features: number): void => bar.update((done += features), total);
    let wrong = broken.length;
    for (const pack of chosen) {
      const faults = await verifyInstalledPack(pack, onTheme, signal);
      bar.finish();
      for (const fault of faults) err.write(`${fault}\n`);
      wrong += faults.length;
      const { id, version } = pack.manifest;
      out.write(`${id} ${version}: ${featuresOf([pack])} features, ${inWords(faults.length)}\n`);
    }
    for (const { id, version, options } of registries) {
      const fault = await registryFault(config, id);
      if (fault !== null) wrong++;
      out.write(`${id} ${version}: ${String(options['records'])} producers, ${fault ?? 'sound'}\n`);
    }
    if (fetched.packs.length + fetched.faults.length > 0) {
      let faulty = fetched.faults.length;
      for (const pack of fetched.packs) {
        const faults = await verifyAutoPack(pack, onTheme, signal);
        for (const fault of faults) err.write(`${fault}\n`);
        faulty += faults.length;
      }
      bar.finish();
      wrong += faulty;
      const count = `${fetched.packs.length + fetched.faults.length} packs, ${featuresOf(fetched.packs)} features`;
      out.write(`${AUTO_ID}: ${count}, ${inWords(faulty)}\n`);
      if (faulty > 0) err.write(`firstmile data remove ${AUTO_ID} removes them; they are fetched again when needed.\n`);
    }
    if (found + broken.length === 0) err.write('No pack is installed. firstmile data import makes one.\n');
    return wrong > 0 ? 1 : 0;
  },
};

function featuresOf(packs: readonly InstalledPack[]): number {
  return packs.reduce((sum, { manifest }) => sum + manifest.themes.reduce((n, theme) => n + theme.features, 0), 0);
}

function inWords(faults: number): string {
  return faults === 0 ? 'sound' : `${faults} fault${faults === 1 ? '' : 's'}`;
}

export const dataRemove: Command = {
  args: [{ name: 'PACK', doc: 'Name of the pack or registry; firstmile data verify lists them.', required: true }],
  options: {},
  examples: ['npx firstmile data remove ghana-latest'],
  async run({ args, config, err }) {
    await removeInstalledPack(config, args[0] ?? '');
    if (args[0] === AUTO_ID) await withdrawSharedCells(config);
    err.write(`Removed ${args[0]}. A running service notices at its next request.\n`);
    return 0;
  },
};
