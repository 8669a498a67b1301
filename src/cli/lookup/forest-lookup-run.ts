import { mkdir } from 'node:fs/promises';
import { writePatch } from '../../forest/feature-text.ts';
import { findPatch } from '../../forest/find-patch.ts';
import type { PatchSources } from '../../forest/sources.ts';
import { forestDatasets } from '../../service/datasets/catalogue.ts';
import { recordLookup } from '../../service/forest/recorder.ts';
import { openForestSources } from '../../service/forest/sources.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { printAnswer, unwritable } from './forest-answer.ts';
import { readCrs, readPointArgs } from '../parts/read-places.ts';

/** Looks up one point as `firstmile forest lookup` was called and returns the exit code. */
export async function runForestLookup(context: CommandContext): Promise<number> {
  const { config, err, signal } = context;
  const point = readPointArgs(context.args);
  const crs = readCrs(context.options['crs']);
  const datasets = await datasetsOf(context);
  const folder = context.options['debug'] as string | undefined;
  if (folder !== undefined)
    await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) =>
      unwritable('debug', folder, error),
    );
  const begun = performance.now();
  const failures: string[] = [];
  const opened = await openForestSources(datasets, config, (dataset, error) =>
    failures.push(`  ${dataset}: ${error instanceof Error ? error.message : String(error)}`),
  );
  try {
    const sources = chosenOf(await opened.current(), context);
    const record = folder === undefined ? null : recordLookup(sources);
    const patch = await findPatch(point, record?.sources ?? sources, {
      crs,
      timeoutMs: config.forestPointTimeoutMs,
      signal,
      ...(record === null ? {} : { inspect: record.inspect }),
    });
    const ms = performance.now() - begun;
    const code = await printAnswer(context, { point, patch: writePatch(patch), crs, failures, ms });
    if (record !== null && folder !== undefined) {
      const { writeForestDebug } = await import('../../service/forest/debug.ts');
      const files = await writeForestDebug(folder, record, point, patch, signal);
      err.write(`Wrote ${files.join(', ')} to ${folder}.\n`);
    }
    return code;
  } finally {
    await opened.close();
  }
}

async function datasetsOf({ config, options }: CommandContext) {
  const all = await forestDatasets(config);
  const id = options['dataset'] as string | undefined;
  if (id === undefined) return all;
  const chosen = all.filter((dataset) => dataset.id === id);
  if (chosen.length === 0)
    throw new UsageError(
      `--dataset: wanted one of ${all.map((dataset) => dataset.id).join(', ') || 'none, because the catalogue has no embeddings'}, got "${id}"`,
    );
  return chosen;
}

/** With `--dataset` that one alone: stores in the data folder are not queried in addition. */
function chosenOf(sources: PatchSources, { options }: CommandContext): PatchSources {
  const id = options['dataset'];
  return id === undefined ? sources : { ...sources, labels: sources.labels.filter(({ dataset }) => dataset.id === id) };
}
