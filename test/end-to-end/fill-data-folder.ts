import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePack } from '../made-up-pack.ts';
import { districtLabels } from './district-labels.ts';

/** Longitudes and latitudes in turn. */
const MADE_UP_ROAD = Float64Array.of(10.499, 10.5, 10.501, 10.5);

/**
 * A pack with a road at {@link MADE_UP_ROAD}, a registry and a detection head, which are shared through the bucket: `own-mills`, `made-up` and
 * `district-palm`. Lists are written to `folder`; `run` runs a command on the data folder.
 */
export async function fillDataFolder(
  dataDir: string,
  folder: string,
  run: (words: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const [list, labels] = [join(folder, 'own-mills.csv'), join(folder, 'cover.geojson')];
  await writeFile(list, 'name,lat,lon\nKilang Contoh Bersama,4.5821,102.6124\n');
  await writeFile(labels, JSON.stringify({ type: 'FeatureCollection', features: districtLabels(900) }));
  await run(['data', 'import', 'producers', list, '--licence', 'CC0-1.0']);
  await makePack(join(dataDir, 'regional-packs'), { id: 'made-up', box: [10, 10, 11, 11] }, async (sink) =>
    sink({
      theme: 'roads',
      geometry: { type: 'lineString', line: MADE_UP_ROAD },
      values: ['r/1', 'residential', null],
    }),
  );
  await run(['data', 'push', 'packs/made-up']);
  const about = ['--name', 'district-palm', '--commodity', 'palm', '--licence', 'CC0-1.0', '--block', '0.004'];
  await run(['models', 'train', '--labels', labels, '--column', 'cover', '--positive', 'palm', ...about]);
}
