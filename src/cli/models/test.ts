import { readFile } from 'node:fs/promises';
import { headsToTest, openForTest, testHead, type HeadTest, type TestVector } from '../../service/models/test-head.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const modelsTest: Command = {
  args: [],
  options: {
    vectors: {
      type: 'string',
      value: 'FILE',
      doc: 'JSON with what the original model gave: {"palm": [{"x": [64 values], "calibrated": 0.9}]}.',
    },
  },
  examples: ['npx firstmile models test', 'npx firstmile models test --vectors test_vectors.json'],
  async run({ config, err, options, out }) {
    const heads = await headsToTest(config);
    if (heads.every(({ path }) => path === ''))
      err.write('No model is installed (npx firstmile models install fdp-2026a); the head of the service is tested.\n');
    const vectors = await vectorsOf(options['vectors'] as string | undefined);
    const tests: HeadTest[] = [];
    const rows: string[][] = [];
    for (const installed of heads) {
      try {
        const { head, kept } = await openForTest(installed);
        const { training, commodity } = installed.about;
        const own = training === undefined && installed.path !== '' ? (vectors[commodity ?? ''] ?? []) : [];
        const test = testHead(head, kept, own);
        tests.push(test);
        const counts = [test.pixels + test.vectors, test.kept, test.vectors].map(String);
        rows.push([installed.id, ...counts, test.worst.toExponential(1), test.passed ? 'passed' : 'FAILED']);
      } catch (error) {
        err.write(`firstmile models test: ${(error as Error).message}\n`);
      }
    }
    out.write(textTable(['head', 'pixels', 'kept', 'original', 'largest difference', 'result'], rows, [1, 2, 3, 4]));
    err.write(whatWasDone(tests));
    return tests.length === heads.length && tests.every(({ passed }) => passed) ? 0 : 1;
  },
};

function whatWasDone(tests: readonly HeadTest[]): string {
  const pixels = Math.max(0, ...tests.map((test) => test.pixels));
  const original = tests.reduce((sum, { vectors }) => sum + vectors, 0);
  return [
    `Each head was evaluated on ${pixels} made-up pixels in both ways, with SIMD and plainly; they must agree within 1e-5.`,
    'kept: as many of them were compared with what the head gave when it was installed (0: installed before that was kept).',
    original > 0
      ? `original: ${original} pixels were compared with what the original model gave.`
      : 'original: nothing was compared with the original model; give its output with --vectors FILE.',
    '',
  ].join('\n');
}

async function vectorsOf(path: string | undefined): Promise<Readonly<Record<string, readonly TestVector[]>>> {
  if (path === undefined) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, readonly TestVector[]>;
  } catch (error) {
    throw new UsageError(`--vectors: wanted a file of JSON, got ${(error as Error).message}`, { cause: error });
  }
}
