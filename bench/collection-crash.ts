/**
 * `node bench/collection-crash.ts [PLOTS] [KILLS] [ENGINE]`: a batch of synthetic plots whose process is killed with
 * SIGKILL while it runs, on each engine; counts what was lost or done twice, and says how much memory it took.
 */
import { testEngines } from '../test/contracts/engines.ts';
import { collectionCrash } from '../test/end-to-end/collection-crash.ts';
import { type BenchRow, saveResult } from './results.ts';

const [plots = '30000', kills = '3', only] = process.argv.slice(2);
const reports: object[] = [];
const rows: BenchRow[] = [];
for (const engine of await testEngines()) {
  if (engine.skip !== false || (only !== undefined && only !== engine.name)) continue;
  const database = await engine.create();
  try {
    const say = (line: string): void => console.error(`${engine.name}: ${line}`);
    // Progress is reported once per second, and more is done meanwhile: nothing is killed near the end.
    const killAt = (kill: number): number => (0.6 * Number(plots) * kill) / Number(kills);
    const report = await collectionCrash(database, { plots: Number(plots), kills: Number(kills), killAt, say });
    rows.push({
      what: `batch of ${Number(plots).toLocaleString('en')} made-up plots, validated and measured, killed with SIGKILL ${report.kills} times, ${engine.name}`,
      ours:
        `${report.records.toLocaleString('en')} locations, ${report.wrong} lost or twice or out of place, ${report.writtenAgain} parts written twice, ` +
        `${report.events} event; ${report.seconds} s, peak ${report.peakMb} MB, longest \`/healthz\` ${Math.round(report.slowestHealthMs)} ms`,
      goal: '0 lost, 0 twice, 1 event',
    });
    reports.push({ engine: engine.name, ...report, keptAtKills: report.keptAtKills.join(' ') });
  } finally {
    await database.drop();
  }
}
console.table(reports);
if (only === undefined) saveResult('collection-crash', rows, 1);
