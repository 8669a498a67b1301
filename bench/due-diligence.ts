/**
 * Time and memory of the due diligence export: node bench/due-diligence.ts [PLOTS]
 *
 * Made-up square plots, one in ten with a hole, on a grid; each with statistics. Memory is the largest resident set seen, the
 * peer is the same run with a tenth of the plots: what grows with their number would show. The last line is the processor time of the
 * audit trail alone, without pictures of forest: with it less without it.
 */
import { COLLECTION, exportParts, PERIOD, plotRecord } from '../test/due-diligence-export.ts';
import { madeUpStatistics } from '../test/memory/collections.ts';
import type { PlotRecord } from '../src/collections/plot-record.ts';
import { writeExport } from '../src/collections/due-diligence/write-export.ts';
import { openDiskSpool } from '../src/service/collections/disk-spool.ts';
import { costOf } from './rounds.ts';

const most = Number(process.argv[2] ?? 100_000);
const DRAWN = 2_000;
const STATISTICS = madeUpStatistics();

function square(lon: number, lat: number, side: number): number[][] {
  const corners = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ];
  return corners.map(([x, y]) => [lon + x! * side, lat + y! * side]);
}

async function* plots(count: number): AsyncGenerator<PlotRecord, void> {
  for (let i = 0; i < count; i++) {
    if (i % 250 === 0) await new Promise(setImmediate);
    const [lon, lat] = [(i % 400) * 0.003, Math.floor(i / 400) * 0.003];
    const holes = i % 10 === 0 ? [square(lon + 0.0005, lat + 0.0005, 0.0005)] : [];
    const geometry = { type: 'Polygon', coordinates: [square(lon, lat, 0.002), ...holes] };
    const eudr = {
      ProducerName: `Producer ${Math.floor(i / 20)}`,
      ProducerCountry: 'GH',
      ProductionPlace: 'Kumasi',
      Area: null,
    };
    yield plotRecord(i, geometry, { eudr }, { statistics: STATISTICS, problem: null });
  }
}

/** Milliseconds of the processor. */
async function run(count: number, plotPages: number): Promise<number> {
  let [bytes, peak] = [0, 0];
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  const source = { collection: COLLECTION, records: () => plots(count) };
  const parts = await exportParts({ openSpool: openDiskSpool });
  const [{ ms, cpuMs }] = await costOf(async () => {
    for await (const chunk of writeExport([source], { period: PERIOD, plotPages }, parts)) bytes += chunk.length;
  });
  clearInterval(timer);
  const seconds = ms / 1000;
  console.log(
    `${count} plots, ${plotPages} of them drawn: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} plots/s, ${(bytes / 1e6).toFixed(1)} MB, peak ${Math.round(peak / 1e6)} MB, processor ${(cpuMs / 1000).toFixed(1)} s`,
  );
  return cpuMs;
}

await run(most / 10, 0);
const without = await run(most, 0);
const withAudit = await run(most, DRAWN);
console.log(
  `audit trail: ${((withAudit - without) / Math.min(most, DRAWN)).toFixed(2)} ms of the processor for each plot drawn`,
);
