import { listPacks, verifyInstalledPack } from '../../service/datasets/pack-folder.ts';
import { registryDatasets, registryFault } from '../../service/datasets/registries.ts';
import { UsageError, type Command } from '../command.ts';
import { createProgressBar } from '../parts/progress-bar.ts';

export const dataVerify: Command = {
  args: [{ name: 'PACK', doc: 'One pack or registry; default: all.', required: false }],
  options: {},
  examples: ['npx firstmile data verify', 'npx firstmile data verify ghana-latest'],
  async run({ args, config, out, err, signal }) {
    const { packs, faults: broken } = await listPacks(config);
    const chosen = packs.filter(({ manifest }) => args[0] === undefined || manifest.id === args[0]);
    const registries = (await registryDatasets(config)).filter(({ id }) => args[0] === undefined || id === args[0]);
    if (args[0] !== undefined && chosen.length + registries.length === 0 && broken.length === 0)
      throw new UsageError(`PACK: there is no pack or registry "${args[0]}"; firstmile data verify lists them`);
    for (const fault of broken) err.write(`${fault.message}\n`);
    const total = chosen.reduce(
      (sum, { manifest }) => sum + manifest.themes.reduce((n, theme) => n + theme.features, 0),
      0,
    );
    const bar = createProgressBar(err, 'features');
    let done = 0;
    let wrong = broken.length;
    for (const pack of chosen) {
      const faults = await verifyInstalledPack(pack, (_, features) => bar.update((done += features), total), signal);
      bar.finish();
      for (const fault of faults) err.write(`${fault}\n`);
      wrong += faults.length;
      const features = pack.manifest.themes.reduce((sum, theme) => sum + theme.features, 0);
      out.write(
        `${pack.manifest.id} ${pack.manifest.version}: ${features} features, ${faults.length === 0 ? 'sound' : `${faults.length} faults`}\n`,
      );
    }
    for (const { id, version, options } of registries) {
      const fault = await registryFault(config, id);
      if (fault !== null) wrong++;
      out.write(`${id} ${version}: ${String(options['records'])} producers, ${fault ?? 'sound'}\n`);
    }
    if (packs.length + registries.length === 0 && broken.length === 0)
      err.write('No pack is installed. firstmile data import makes one.\n');
    return wrong > 0 ? 1 : 0;
  },
};
