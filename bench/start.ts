/**
 * How long the service takes to start, from the beginning of the process to the line with its address: on an empty data
 * folder (database creation included), on the same folder again, and to the first answered validation. Medians.
 * Run: node bench/start.ts [rounds]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runService } from '../test/end-to-end/run-service.ts';

const QUERY =
  '/validate_facility?geometry=POINT(103.1747+3.0772)&commodity_type=palm&check_water_access=true&check_port_proximity=true';

const rounds = Number(process.argv[2] ?? 5);
const times = {
  'empty folder': [] as number[],
  'first answer on it': [] as number[],
  'existing folder': [] as number[],
  'first answer again': [] as number[],
};
for (let round = 0; round < rounds; round++) {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-start-'));
  try {
    await measure(dataDir, 'empty folder', 'first answer on it');
    await measure(dataDir, 'existing folder', 'first answer again');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
for (const [name, values] of Object.entries(times))
  console.log(
    `${name.padEnd(20)} ${median(values).toFixed(2)} s   (${values.map((value) => value.toFixed(2)).join(', ')})`,
  );

async function measure(dataDir: string, start: keyof typeof times, answer: keyof typeof times): Promise<void> {
  const begun = performance.now();
  await using service = await runService({ dataDir, firstStart: true });
  times[start].push(service.startMs / 1000);
  const response = await service.fetch(QUERY);
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  times[answer].push((performance.now() - begun) / 1000);
  await service.stop();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
