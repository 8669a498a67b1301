import { mkdir, writeFile } from 'node:fs/promises';
import { collectionText, writePatch } from '../../forest/feature-text.ts';
import { findPatch } from '../../forest/find-patch.ts';
import type { Patch } from '../../forest/patch.ts';
import type { PatchSources } from '../../forest/sources.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { forestDatasets } from '../../service/datasets/catalogue.ts';
import { recordLookup } from '../../service/forest/recorder.ts';
import { openForestSources } from '../../service/forest/sources.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { readCrs, readPointArgs } from '../parts/read-places.ts';

/** No patch there: not an error, but not a patch either. */
const NO_PATCH = 3;

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
    await print(context, point, patch, crs);
    err.write(report(point, patch, failures, ms));
    if (record !== null && folder !== undefined) {
      const { writeForestDebug } = await import('../../service/forest/debug.ts');
      const files = await writeForestDebug(folder, record, point, patch, signal);
      err.write(`Wrote ${files.join(', ')} to ${folder}.\n`);
    }
    return exitCode(patch);
  } finally {
    await opened.close();
  }
}

async function print({ options, out }: CommandContext, point: LonLat, patch: Patch, crs: Crs): Promise<void> {
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: point } };
  const text = `${[...collectionText([feature], [writePatch(patch)], crs)].join('')}\n`;
  const path = options['output'] as string | undefined;
  if (path === undefined || path === '-') out.write(text);
  else await writeFile(path, text).catch((error: NodeJS.ErrnoException) => unwritable('output', path, error));
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

function exitCode({ geometry, properties }: Patch): number {
  if (geometry !== null) return 0;
  return properties.warnings.some(({ code }) => code === 'source_unavailable') ? 1 : NO_PATCH;
}

/** What a person wants to know in addition to the polygon. */
function report(point: LonLat, { geometry, properties }: Patch, failures: readonly string[], ms: number): string {
  const { area_ha: area, segment_id: id, source, source_year: year, dataset, warnings } = properties;
  const answer = `${dataset} (${source} ${year}), ${Math.round(ms)} ms`;
  const lines = [
    geometry === null ? 'No patch.' : `Patch ${id}: ${area} ha, from ${answer}.`,
    ...warnings.map(({ code, message }) => `${code}: ${message}`),
    ...(failures.length > 0 ? ['What failed:', ...failures] : []),
    ...swapHint(point, warnings[0]?.code),
    ...(warnings[0]?.code === 'source_unavailable' ? [UNAVAILABLE_HINT] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The likeliest cause, and what helps. */
const UNAVAILABLE_HINT =
  'The public embeddings are read over the network. Without one, name a GeoTIFF of embeddings or a label store in a catalogue and set CATALOGUE to it.';

function swapHint([lon, lat]: LonLat, code: string | undefined): string[] {
  if (code !== 'outside_coverage' || Math.abs(lon) > 90 || lon === lat) return [];
  return [`Longitude comes first. If that was a latitude: firstmile forest lookup ${lat} ${lon}`];
}

function unwritable(option: string, path: string, { code = 'failed' }: NodeJS.ErrnoException): never {
  throw new UsageError(`--${option}: ${path} cannot be written (${code})`);
}
