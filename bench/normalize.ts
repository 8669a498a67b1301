/**
 * How fast and in how much memory a table of places becomes clean locations, compared with ogr2ogr on the same file, which
 * converts it to GeoJSON without looking anything up. Interleaved, each in a process of its own. Needs gdal-bin.
 * Run: node bench/normalize.ts [rows] [rounds]
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { readConfig } from '../src/config/settings.ts';
import { batchedText } from '../src/locations/formats/batched-text.ts';
import { featureText } from '../src/locations/formats/feature-text.ts';
import { locationColumns } from '../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS } from '../src/locations/options.ts';
import { createLog } from '../src/log.ts';
import { openWorld } from '../src/service/world/world.ts';
import { createLocationService } from '../src/service/locations/locations.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { median } from './rounds.ts';

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'ours') await ours(rest[0], rest[1], rest[2]);
else await compare(Number(mode ?? 1_000_000), Number(rest[0] ?? 3));

async function compare(rows: number, rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
  try {
    const input = join(folder, 'farms.csv');
    await pipeline(Readable.from(table(rows)), createWriteStream(input));
    console.log(`${rows} rows, ${((await stat(input)).size / 1e6).toFixed(0)} MB, Node ${process.version}`);
    const dataDir = join(folder, 'data');
    await (
      await openWorld(readConfig({ DATA_DIR: dataDir, AUTO_DATA: 'off' }), createLog({ level: 'silent', json: true }))
    ).share();
    const figures = { ours: [] as number[], peer: [] as number[], mb: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const output = join(folder, `ours-${round}.geojson`);
      const child = spawnSync(
        process.execPath,
        ['--max-semi-space-size=8', import.meta.filename, 'ours', input, output, dataDir],
        { encoding: 'utf8' },
      );
      if (child.status !== 0) throw new Error(child.stderr);
      const { ms, peakMb, written } = JSON.parse(child.stdout) as { ms: number; peakMb: number; written: number };
      if (written !== rows) throw new Error(`wanted ${rows} locations, got ${written}`);
      figures.ours.push(ms);
      figures.mb.push(peakMb);
      const start = performance.now();
      const peer = spawnSync('ogr2ogr', [
        '-f',
        'GeoJSON',
        join(folder, `peer-${round}.geojson`),
        input,
        '-oo',
        'X_POSSIBLE_NAMES=Longitud',
        '-oo',
        'Y_POSSIBLE_NAMES=Latitud',
      ]);
      if (peer.status !== 0) throw new Error(peer.error?.message ?? peer.stderr.toString());
      figures.peer.push(performance.now() - start);
    }
    const [own, other, mb] = [figures.ours, figures.peer, figures.mb].map(median);
    console.log(
      `ours ${(own / 1000).toFixed(1)} s (${Math.round((rows / own) * 1000)} rows/s), peak ${Math.round(mb)} MB`,
    );
    console.log(`ogr2ogr ${(other / 1000).toFixed(1)} s; ratio ${(own / other).toFixed(2)}`);
    if (mb > 400) throw new Error(`wanted at most 400 MB, got ${Math.round(mb)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ours(input: string, output: string, dataDir: string): Promise<void> {
  const start = performance.now();
  const config = readConfig({ DATA_DIR: dataDir, AUTO_DATA: 'off' });
  const data = await openWorld(config, createLog({ level: 'silent', json: true }));
  const signal = new AbortController().signal;
  await using opened = await createLocationService(data, config, 1_000_000).open(input, DEFAULT_LOCATION_OPTIONS);
  const run = opened.normalize(signal);
  const text = featureText('geojson', { features: run.features, aggregate: run.aggregate, columns: locationColumns });
  await pipeline(Readable.from(batchedText(text)), createWriteStream(output));
  const written = run.aggregate().total;
  await data.close();
  console.log(
    JSON.stringify({ ms: performance.now() - start, peakMb: process.resourceUsage().maxRSS / 1024, written }),
  );
}

/** Farms in Colombia with decimal commas, as a spreadsheet in Spanish writes them. */
function* table(rows: number): Generator<string, void> {
  const random = seededRandom(7);
  const number = (low: number, high: number, digits: number): string =>
    (low + random() * (high - low)).toFixed(digits).replace('.', ',');
  yield 'id;Nombre;Latitud;Longitud;País;Área (ha)\n';
  for (let i = 0; i < rows; i++)
    yield `P${i};Finca ${i};${number(1, 7, 6)};${number(-76, -72, 6)};Colombia;${number(0.5, 4, 2)}\n`;
}
