/**
 * How fast and in how much memory an upload is read: the structural pass and the streaming pass compared with plain
 * `JSON.parse` and with reading the bytes alone, in turn, each in a process of its own. Run: node bench/geojson-stream.ts [features]
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
import { memoryMb } from './process-figures.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, costOf, Costs, median, ms, ROUNDS } from './rounds.ts';

interface Measured extends Cost {
  readonly features: number;
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
  'bytes alone': async (path) => {
    for await (const chunk of createReadStream(path)) void chunk;
    return 0;
  },
} satisfies Record<string, (path: string) => Promise<number>>;

const [name, path] = process.argv.slice(2);
if (name in READERS && path !== undefined) await measure(name as keyof typeof READERS, path);
else await compare(Number(name ?? DEFAULT_FEATURES));

async function measure(reader: keyof typeof READERS, path: string): Promise<void> {
  const [cost, features] = await costOf(() => READERS[reader](path));
  console.log(JSON.stringify({ features, ...cost, peakMb: memoryMb('self', 'VmHWM') } satisfies Measured));
}

async function compare(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
  try {
    const path = join(folder, 'facilities.geojson');
    await pipeline(Readable.from(collectionText(count)), createWriteStream(path));
    const megabytes = (await stat(path)).size / 1e6;
    const [costs, peaks] = [new Costs(), new Map<string, number[]>()];
    for (let round = 0; round <= ROUNDS; round++) {
      costs.begin();
      for (const reader of Object.keys(READERS)) {
        const { features, peakMb, ...cost } = inOwnProcess(reader, path);
        if (reader !== 'bytes alone' && features !== count)
          throw new Error(`${reader} found ${features} features of ${count}`);
        costs.add(reader, cost);
        peaks.set(reader, [...(peaks.get(reader) ?? []), peakMb]);
        console.log(reader.padEnd(16), `${ms(cost.ms)} ms, ${ms(cost.cpuMs)} of processor, peak ${peakMb} MB`);
      }
    }
    const rowOf = (reader: string): BenchRow => {
      const [own, floor] = [costs.median(reader), costs.median('bytes alone')];
      const peak = (name: string): string => `${median(peaks.get(name) ?? [])} MB`;
      return {
        what: `${reader} over a file of ${count.toLocaleString('en')} features, ${megabytes.toFixed(0)} MB`,
        ours: `${Math.round((megabytes / own.ms) * 1000)} MB a second, ${ms(own.cpuMs)} ms of processor, peak ${peak(reader)}`,
        peers: [
          { name: `\`JSON.parse\`, peak ${peak('JSON.parse')}`, strongest: true, ...costs.ratio('JSON.parse', reader) },
        ],
        limit: `reading its bytes, ${ms(floor.cpuMs)} ms of processor, peak ${peak('bytes alone')}`,
      };
    };
    saveResult('geojson-stream', [rowOf('structural pass'), rowOf('both passes')]);
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
