import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';

/*
 * What each file of tests costs: processor time of its process and of every process that it started, and time on the clock. Files
 * run two at a time. POSIX only: a shell counts the processes of each file.
 *
 *   node tools/test-cost.ts [files or patterns; default: all tests]
 */
const AT_ONCE = 2;
const patterns = process.argv.slice(2);
const files = globSync(patterns.length === 0 ? ['test/!(shares)/**/*.test.ts', 'test/*.test.ts'] : patterns);
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`);

interface Cost {
  readonly file: string;
  /** Of all its processes, in user and system mode. */
  readonly processorS: number;
  readonly wallS: number;
  readonly failed: boolean;
}

const costs: Cost[] = [];
const begun = performance.now();
const waiting = files.values();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const file of waiting) {
      const cost = await costOf(file);
      costs.push(cost);
      console.log(row(cost));
    }
  }),
);
console.log('\nprocessor      wall  file');
for (const cost of costs.toSorted((a, b) => b.processorS - a.processorS)) console.log(row(cost));
const processorS = costs.reduce((sum, cost) => sum + cost.processorS, 0);
console.log(row({ file: 'all', processorS, wallS: (performance.now() - begun) / 1000, failed: false }));

async function costOf(file: string): Promise<Cost> {
  const started = performance.now();
  const script = '"$@" > /dev/null 2>&1; code=$?; times; exit $code';
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, '--test', '--test-timeout=600000', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { file, processorS: childSeconds(text), wallS: (performance.now() - started) / 1000, failed: code !== 0 };
}

/** The second line of `times`, such as `0m1.25s 0m0.11s`, is what the children of the shell used. */
function childSeconds(times: string): number {
  const line = times.trim().split('\n').at(-1) ?? '';
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
}

function row({ file, processorS, wallS, failed }: Cost): string {
  return `${processorS.toFixed(1).padStart(7)} s ${wallS.toFixed(1).padStart(7)} s  ${file}${failed ? '  FAILED' : ''}`;
}
