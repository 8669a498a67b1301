/**
 * How fast and in how much memory a table of places becomes clean locations: `firstmile normalize` as a process of its own, which reads
 * the file twice, compared with ogr2ogr on the same file, which converts it to GeoJSON without looking anything up, and with the same
 * command without further threads. In turns. Needs gdal-bin and the built program.
 * Run: node bench/normalize.ts [rows] [rounds]
 */
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { seededRandom } from '../src/geo/seeded-random.ts';
import { saveResult } from './results.ts';
import { median, ROUNDS } from './rounds.ts';

interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? ROUNDS);
const COMMAND = join(import.meta.dirname, '..', 'bin', 'firstmile.js');
const LOOK_EVERY_MS = 20;
/** Of `/proc/PID/stat`, a second. */
const TICKS = 100;
const written = { bytes: 0 };

const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const input = join(folder, 'farms.csv');
  await pipeline(Readable.from(table(rows)), createWriteStream(input));
  const small = join(folder, 'small.csv');
  await pipeline(Readable.from(table(1_000)), createWriteStream(small));
  const out = (name: string): string => join(folder, `${name}.geojson`);
  const firstmile = (file: string, name: string, helpers: string): Promise<Run> =>
    run(process.execPath, [COMMAND, 'normalize', file, '--quiet', '-o', out(name)], {
      DATA_DIR: join(folder, 'data'),
      AUTO_DATA: 'off',
      FILE_HELPERS: helpers,
    });
  const contenders = {
    ours: () => firstmile(input, 'ours', 'auto'),
    alone: () => firstmile(input, 'alone', '0'),
    peer: () =>
      run('ogr2ogr', [
        '-f',
        'GeoJSON',
        out('peer'),
        input,
        '-oo',
        'X_POSSIBLE_NAMES=Longitud',
        '-oo',
        'Y_POSSIBLE_NAMES=Latitud',
      ]),
    start: () => firstmile(small, 'small', 'auto'),
  };
  const figures: Record<keyof typeof contenders, Run[]> = { ours: [], alone: [], peer: [], start: [] };
  // The first round makes the packs and warms the files up.
  for (let round = 0; round <= rounds; round++)
    for (const name of Object.keys(contenders) as (keyof typeof contenders)[]) {
      await Promise.all(['ours', 'alone', 'peer', 'small'].map((one) => rm(out(one), { force: true })));
      const measured = await contenders[name]();
      if (round > 0) figures[name].push(measured);
      console.log(name.padEnd(6), inWords(measured));
      if (name === 'ours') written.bytes = (await stat(out('ours'))).size;
    }
  report(figures, (await stat(input)).size);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function report(
  figures: Readonly<Record<'ours' | 'alone' | 'peer' | 'start', readonly Run[]>>,
  inputBytes: number,
): void {
  const of = (name: keyof typeof figures, key: keyof Run): number => median(figures[name].map((one) => one[key]));
  const ratio = (name: keyof typeof figures) => ({
    times: of(name, 'ms') / of('ours', 'ms'),
    processor: of(name, 'cpuMs') / of('ours', 'cpuMs'),
  });
  const microseconds = (of('ours', 'cpuMs') * 1_000) / rows;
  saveResult(
    'normalize',
    [
      {
        what: `${rows.toLocaleString('en')} rows of CSV (${(inputBytes / 1e6).toFixed(0)} MB) to GeoJSON with \`firstmile normalize\`, start included`,
        ours:
          `${(of('ours', 'ms') / 1_000).toFixed(1)} s, ${microseconds.toFixed(1)} µs of processor a row, of which the start is ` +
          `${(of('start', 'cpuMs') / 1_000).toFixed(1)} s in all; peak ${of('ours', 'peakMb').toFixed(0)} MB, with 1,000 rows ${of('start', 'peakMb').toFixed(0)} MB`,
        peers: [
          { name: '`ogr2ogr`, which looks up nothing and writes a quarter of the bytes', ...ratio('peer') },
          { name: 'the same with `FILE_HELPERS=0`', strongest: true, ...ratio('alone') },
        ],
        goal: '1.43 times, 250 MB',
        limit: `${(written.bytes / rows).toFixed(0)} bytes are written a row`,
      },
    ],
    rounds,
  );
}

function inWords({ ms, cpuMs, peakMb }: Run): string {
  return `${(ms / 1_000).toFixed(2)} s, ${(cpuMs / 1_000).toFixed(2)} s of processor, peak ${peakMb.toFixed(0)} MB`;
}

/** Runs a command; its processor time and highest memory are those that Linux last had of it. */
async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const begun = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  let last = { cpuMs: 0, peakMb: 0 };
  const timer = setInterval(() => (last = figuresOf(child.pid) ?? last), LOOK_EVERY_MS);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${text}`);
  return { ms: performance.now() - begun, ...last };
}

/** Null once the process is gone. */
function figuresOf(pid: number | undefined): Omit<Run, 'ms'> | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (peak === null) return null;
    return { cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS, peakMb: Number(peak[1]) / 1_024 };
  } catch {
    return null;
  }
}

/** Farms in Colombia with decimal commas, as a spreadsheet in Spanish writes them. */
function* table(count: number): Generator<string, void> {
  const random = seededRandom(7);
  const number = (low: number, high: number, digits: number): string =>
    (low + random() * (high - low)).toFixed(digits).replace('.', ',');
  yield 'id;Nombre;Latitud;Longitud;País;Área (ha)\n';
  for (let i = 0; i < count; i++)
    yield `P${i};Finca ${i};${number(1, 7, 6)};${number(-76, -72, 6)};Colombia;${number(0.5, 4, 2)}\n`;
}
