/**
 * Time and memory of the due diligence export: node bench/due-diligence.ts [PLOTS]
 *
 * Made-up square plots, one in ten with a hole, on a grid; each with statistics. Memory is the most that the process held in the run;
 * a tenth of the plots takes a turn: what grows with their number would show. The last row is the processor time of the audit trail
 * alone, without pictures of forest: with it less without it. Nobody else makes such an export; what cannot be left out is making JSON
 * of its plots.
 */
import { COLLECTION, exportParts, PERIOD, plotRecord } from '../test/due-diligence-export.ts';
import { madeUpStatistics } from '../test/memory/collections.ts';
import type { PlotRecord } from '../src/collections/plot-record.ts';
import { writeExport } from '../src/collections/due-diligence/write-export.ts';
import { openDiskSpool } from '../src/service/collections/disk-spool.ts';
import { forgetPeak, memoryMb } from './process-figures.ts';
import { saveResult } from './results.ts';
import { type Cost, costOf, Costs, median, ROUNDS } from './rounds.ts';

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

interface Run extends Cost {
  readonly bytes: number;
  readonly peakMb: number;
}

async function run(count: number, plotPages: number): Promise<Run> {
  let bytes = 0;
  const source = { collection: COLLECTION, records: () => plots(count) };
  const parts = await exportParts({ openSpool: openDiskSpool });
  forgetPeak('self');
  const [cost] = await costOf(async () => {
    for await (const chunk of writeExport([source], { period: PERIOD, plotPages }, parts)) bytes += chunk.length;
  });
  return { ...cost, bytes, peakMb: memoryMb('self', 'VmHWM') };
}

/** JSON of the same plots. */
async function stringify(count: number): Promise<Run> {
  let bytes = 0;
  const [cost] = await costOf(async () => {
    for await (const plot of plots(count)) bytes += JSON.stringify(plot).length;
  });
  return { ...cost, bytes, peakMb: 0 };
}

const KINDS: Readonly<Record<string, () => Promise<Run>>> = {
  few: () => run(most / 10, 0),
  many: () => run(most, 0),
  audit: () => run(most, DRAWN),
  JSON: () => stringify(most),
};
const costs = new Costs();
const runs = new Map<string, Run[]>(Object.keys(KINDS).map((kind) => [kind, []]));
for (let round = 0; round <= ROUNDS; round++) {
  costs.begin();
  for (const [kind, measure] of Object.entries(KINDS)) {
    const one = await measure();
    costs.add(kind, one);
    if (round > 0) runs.get(kind)?.push(one);
    console.log(kind.padEnd(5), JSON.stringify(one));
  }
}

const plotCount = (count: number): string => `${count.toLocaleString('en')} plots`;
const written = (kind: string): string => {
  const of = (key: keyof Run): number => median((runs.get(kind) ?? []).map((one) => one[key]));
  return `${(of('bytes') / 1e6).toFixed(1)} MB, peak ${of('peakMb').toFixed(0)} MB`;
};
const speed = (kind: string, count: number): string => {
  const { ms, cpuMs } = costs.median(kind, count);
  return `${Math.round(1_000 / ms).toLocaleString('en')} plots a second, ${cpuMs.toFixed(2)} ms of processor each; ${written(kind)}`;
};
const limit = `\`JSON.stringify\` of the plots, ${costs.median('JSON', most).cpuMs.toFixed(3)} ms of processor each`;
const ofPage = (costs.median('audit').cpuMs - costs.median('many').cpuMs) / Math.min(most, DRAWN);
saveResult('due-diligence', [
  { what: `due diligence export of ${plotCount(most / 10)}, GeoJSON and tables`, ours: speed('few', most / 10), limit },
  { what: `the same of ${plotCount(most)}`, ours: speed('many', most), goal: 'bounded memory', limit },
  {
    what: `${plotCount(most)}, of which the audit trail draws ${Math.min(most, DRAWN).toLocaleString('en')}`,
    ours: `${(costs.median('audit').ms / 1_000).toFixed(1)} s; ${written('audit')}`,
  },
  {
    what: 'the audit trail, each plot that is drawn, without pictures of forest',
    ours: `${ofPage.toFixed(2)} ms of processor`,
  },
]);
