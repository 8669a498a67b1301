/** Writes what `check_geojson.py` looks at: node test/oracles/due-diligence/write-exports.ts FOLDER */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportFiles } from '../../due-diligence-export.ts';
import { INPUTS } from './inputs.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('wanted the folder to write to');
for (const [name, { records }] of Object.entries(INPUTS)) {
  const plots = await records();
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, 'input.json'),
    JSON.stringify(
      plots.map(({ number, feature }) => ({
        number,
        id: feature.id,
        geometry: feature.geometry,
        eudr: feature.properties['eudr'],
      })),
    ),
  );
  for (const [file, bytes] of Object.entries(await exportFiles(plots))) writeFileSync(join(target, file), bytes);
}
