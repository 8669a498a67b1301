import { writeFile } from 'node:fs/promises';
import { collectionText, writePatch, type WrittenAnswer } from '../../forest/feature-text.ts';
import { findPatch } from '../../forest/find-patch.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { findParcel } from '../../parcels/find-parcel.ts';
import { forestDatasets, parcelDatasets } from '../../service/datasets/catalogue.ts';
import { openForestSources } from '../../service/forest/sources.ts';
import { openParcelSources } from '../../service/parcels/sources.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { readCrs, readPointArgs } from '../parts/read-places.ts';

/** Nothing there: not an error, but not a parcel either. */
const NOTHING = 3;

type Warnings = readonly { readonly code: string; readonly message: string }[];
interface Answer extends WrittenAnswer {
  readonly properties: { readonly warnings: Warnings; readonly dataset: string | null };
}

/** Searches one point as `firstmile parcels search` was called and returns the exit code. */
export async function runParcelsSearch(context: CommandContext): Promise<number> {
  const point = readPointArgs(context.args);
  const crs = readCrs(context.options['crs']);
  const failures: string[] = [];
  const report = (dataset: string, error: unknown): void =>
    void failures.push(`  ${dataset}: ${error instanceof Error ? error.message : String(error)}`);
  const answer = await search(context, point, crs, report);
  await print(context, point, answer, crs);
  const { dataset, warnings } = answer.properties;
  const lines = [
    answer.geometry === null ? 'Nothing there.' : `From ${dataset}.`,
    ...warnings.map(({ code, message }) => `${code}: ${message}`),
    ...(failures.length > 0 ? ['What failed:', ...failures] : []),
  ];
  context.err.write(`${lines.join('\n')}\n`);
  if (answer.geometry !== null) return 0;
  return warnings.some(({ code }) => code === 'source_unavailable') ? 1 : NOTHING;
}

async function search(
  { config, options, signal }: CommandContext,
  point: LonLat,
  crs: Crs,
  reportFailure: (dataset: string, error: unknown) => void,
): Promise<Answer> {
  const { sources, close } = openParcelSources(await parcelDatasets(config), config);
  try {
    const found = await findParcel(point, sources, { crs, timeoutMs: config.parcelTimeoutMs, signal, reportFailure });
    const { geometry, properties } = found;
    if (options['forest-fallback'] !== true || !found.isOutside)
      return { geometry: geometry === null ? null : JSON.stringify(geometry), properties };
  } finally {
    await close();
  }
  const forest = await openForestSources(await forestDatasets(config), config, reportFailure);
  try {
    const lookup = { crs, timeoutMs: config.forestPointTimeoutMs, signal };
    return writePatch(await findPatch(point, await forest.current(), lookup));
  } finally {
    await forest.close();
  }
}

async function print({ options, out }: CommandContext, point: LonLat, answer: Answer, crs: Crs): Promise<void> {
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: point } };
  const text = `${[...collectionText([feature], [answer], crs)].join('')}\n`;
  const path = options['output'] as string | undefined;
  if (path === undefined || path === '-') out.write(text);
  else
    await writeFile(path, text).catch(({ code = 'failed' }: NodeJS.ErrnoException) => {
      throw new UsageError(`--output: ${path} cannot be written (${code})`);
    });
}
