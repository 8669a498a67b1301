import { writeFile } from 'node:fs/promises';
import { collectionText, type WrittenPatch } from '../../forest/feature-text.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { UsageError, type CommandContext } from '../command.ts';

/** No patch there: not an error, but not a patch either. */
const NO_PATCH = 3;

interface ForestAnswer {
  readonly point: LonLat;
  readonly patch: WrittenPatch;
  readonly crs: Crs;
  /** What sources failed with, a line for each. */
  readonly failures: readonly string[];
  readonly ms: number;
}

/** Prints an answer and what a person wants to know in addition; returns the exit code. */
export async function printAnswer(
  context: CommandContext,
  { point, patch, crs, failures, ms }: ForestAnswer,
): Promise<number> {
  await print(context, point, patch, crs);
  context.err.write(report(point, patch, failures, ms));
  return exitCode(patch);
}

async function print({ options, out }: CommandContext, point: LonLat, patch: WrittenPatch, crs: Crs): Promise<void> {
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: point } };
  const text = `${[...collectionText([feature], [patch], crs)].join('')}\n`;
  const path = options['output'] as string | undefined;
  if (path === undefined || path === '-') out.write(text);
  else await writeFile(path, text).catch((error: NodeJS.ErrnoException) => unwritable('output', path, error));
}

function exitCode({ geometry, properties }: WrittenPatch): number {
  if (geometry !== null) return 0;
  return properties.warnings.some(({ code }) => code === 'source_unavailable') ? 1 : NO_PATCH;
}

/** What a person wants to know in addition to the polygon. */
function report(
  point: LonLat,
  { geometry, properties }: WrittenPatch,
  failures: readonly string[],
  ms: number,
): string {
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

export function unwritable(option: string, path: string, { code = 'failed' }: NodeJS.ErrnoException): never {
  throw new UsageError(`--${option}: ${path} cannot be written (${code})`);
}
