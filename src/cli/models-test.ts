import { readFile } from 'node:fs/promises';
import { installedHeads, openHead } from '../service/detection-models.ts';
import { testHead, type TestVector } from '../service/detection-test.ts';
import { UsageError, type Command } from './command.ts';
import { textTable } from './text-table.ts';

export const modelsTest: Command = {
  name: 'models test',
  summary: 'Checks the installed detection heads: their files, and that both ways to evaluate them agree.',
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
    const heads = await installedHeads(config);
    if (heads.length === 0) throw new UsageError('no model is installed; npx firstmile models install fdp-2025b');
    const vectors = await vectorsOf(options['vectors'] as string | undefined);
    let isGood = true;
    const rows: string[][] = [];
    for (const head of heads) {
      try {
        const { pixels, worst, passed } = testHead(
          await openHead(head),
          (head.about.training === undefined ? vectors[head.about.commodity ?? ''] : undefined) ?? [],
        );
        isGood &&= passed;
        rows.push([head.id, String(pixels), worst.toExponential(1), passed ? 'passed' : 'FAILED']);
      } catch (error) {
        isGood = false;
        err.write(`firstmile models test: ${(error as Error).message}\n`);
      }
    }
    out.write(textTable(['head', 'pixels', 'largest difference', 'result'], rows, [1, 2]));
    return isGood ? 0 : 1;
  },
};

async function vectorsOf(path: string | undefined): Promise<Readonly<Record<string, readonly TestVector[]>>> {
  if (path === undefined) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, readonly TestVector[]>;
  } catch (error) {
    throw new UsageError(`--vectors: wanted a file of JSON, got ${(error as Error).message}`, { cause: error });
  }
}
