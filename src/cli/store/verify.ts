import { randomInt } from 'node:crypto';
import { openBuildSource } from '../../service/labels/embeddings.ts';
import { storeInfo } from '../../service/labels/info.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { verifyStore } from '../../service/labels/verify.ts';
import { UsageError, type Command } from '../command.ts';
import { createProgressBar } from '../parts/progress-bar.ts';
import { embeddingsNamed, storeFolder } from './store-arguments.ts';

const SAMPLE = 200;
const MOST_FAULTS_SHOWN = 20;

export const storeVerify: Command = {
  args: [
    {
      name: 'FOLDER',
      doc: 'Folder of the store, or its name in `firstmile store list`; default: the one in DATA_DIR.',
      required: false,
    },
  ],
  options: {
    sample: { type: 'string', short: 'n', value: 'N', doc: `Cells to compare; default ${SAMPLE}.` },
    seed: { type: 'string', value: 'S', doc: 'The same number draws the same cells; default: another each time.' },
    dataset: {
      type: 'string',
      short: 'd',
      value: 'ID',
      doc: 'Embeddings to compare with; default: those the store names.',
    },
  },
  examples: ['npx firstmile store verify', 'npx firstmile store verify /shared/labels --sample 1000 --seed 7'],
  async run(context) {
    const { config, options, out, err, signal } = context;
    const sample = wholeNumber('--sample', options['sample'], SAMPLE, 1);
    const seed = wholeNumber('--seed', options['seed'], randomInt(2 ** 31), 0);
    const folder = await storeFolder(context);
    const info = await storeInfo(folder, signal);
    if (info === null) throw new Error(`${folder}: there is no label store`);
    const id = (options['dataset'] as string | undefined) ?? info.dataset.id;
    const source = await openBuildSource(await embeddingsNamed(id, config), config);
    const bar = createProgressBar(err, 'cells');
    try {
      const random = seededRandom(seed);
      const report = await verifyStore(source, {
        folder,
        sample,
        random,
        signal,
        onProgress: (done, total) => bar.update(done, total),
      });
      bar.finish();
      const { equal, unresolved, undecided, faults } = report;
      for (const fault of faults.slice(0, MOST_FAULTS_SHOWN)) err.write(`${fault}\n`);
      out.write(
        `${sample} cells, seed ${seed}: ${equal} equal, ${faults.length} different, ${unresolved} left to live lookups, ${undecided} undecided\n`,
      );
      return faults.length > 0 ? 1 : 0;
    } finally {
      bar.finish();
      await source.close();
    }
  },
};

function wholeNumber(name: string, text: unknown, fallback: number, least: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(String(text)) && value >= least && value < 2 ** 31) return value;
  throw new UsageError(`${name}: wanted a whole number from ${least}, got "${String(text)}"`);
}
