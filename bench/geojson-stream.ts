/**
 * How fast and in how much memory an upload is read: the structural pass and the streaming pass compared with plain
 * `JSON.parse`, each in a process of its own. Run: node bench/geojson-stream.ts [features]
 */
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { readGeojsonFeatures, validateGeojsonStructure } from '../src/readers/formats/geojson/features.ts';
import { collectionText } from './facility-collection.ts';

interface Measured {
  readonly features: number;
  readonly ms: number;
  readonly peakMb: number;
}

const DEFAULT_FEATURES = 200_000;

const READERS = {
  'structural pass': async (path) => (await validateGeojsonStructure(createReadStream(path))).features,
  'both passes': async (path) => {
    const { features } = await validateGeojsonStructure(createReadStream(path));
    let read = 0;
    for await (const item of readGeojsonFeatures(createReadStream(path))) read += Number('feature' in item);
    if (read !== features)
      throw new Error(`the structural pass counted ${features} features, the streaming pass ${read}`);
    return read;
  },
  'JSON.parse': async (path) => (JSON.parse(await readFile(path, 'utf8')) as { features: unknown[] }).features.length,
  nothing: async () => 0,
} satisfies Record<string, (path: string) => Promise<number>>;

const [name, path] = process.argv.slice(2);
if (name in READERS && path !== undefined) await measure(name as keyof typeof READERS, path);
else await compare(Number(name ?? DEFAULT_FEATURES));

async function measure(reader: keyof typeof READERS, path: string): Promise<void> {
  const start = performance.now();
  const features = await READERS[reader](path);
  const ms = performance.now() - start;
  console.log(JSON.stringify({ features, ms, peakMb: process.resourceUsage().maxRSS / 1024 } satisfies Measured));
}

async function compare(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
  try {
    const path = join(folder, 'facilities.geojson');
    await pipeline(Readable.from(collectionText(count)), createWriteStream(path));
    const megabytes = (await stat(path)).size / 1e6;
    console.log(`${count} features, ${megabytes.toFixed(1)} MB, Node ${process.version}`);
    const rows = Object.keys(READERS).map((reader) => [reader, inOwnProcess(reader, path)] as const);
    for (const [reader, { features, ms, peakMb }] of rows) {
      if (reader !== 'nothing' && features !== count)
        throw new Error(`${reader} found ${features} features of ${count}`);
      const rate =
        reader === 'nothing'
          ? ['', '']
          : [`${Math.round((features / ms) * 1000)} features/s`, `${Math.round((megabytes / ms) * 1000)} MB/s`];
      console.log(
        `${reader.padEnd(16)} ${rate[0].padStart(18)} ${rate[1].padStart(10)}   peak ${Math.round(peakMb)} MB`,
      );
    }
    const { 'both passes': ours, 'JSON.parse': plain } = Object.fromEntries(rows) as Record<
      keyof typeof READERS,
      Measured
    >;
    console.log(
      `both passes take ${(ours.ms / plain.ms).toFixed(2)} times as long as JSON.parse, in ${(ours.peakMb / plain.peakMb).toFixed(2)} of the memory`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function inOwnProcess(reader: string, path: string): Measured {
  const child = spawnSync(process.execPath, ['--max-old-space-size=8192', import.meta.filename, reader, path], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`${reader}: ${child.stderr}`);
  return JSON.parse(child.stdout) as Measured;
}
