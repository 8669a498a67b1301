import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import { collectionText } from '../../forest/feature-text.ts';
import { findPatches } from '../../forest/find-patches.ts';
import type { PatchSources } from '../../forest/sources.ts';
import { findCrs } from '../../geo/crs/find-crs.ts';
import { parseJson } from '../../geo/parse-json.ts';
import { forestLookupOf, type ForestLookup } from './lookups.ts';
import type { TaskHandler } from '../../jobs/task.ts';

/** The kind of task that looks up forest patches. Its input is the list of features as JSON. */
export const FOREST_TASK = 'forest_lookup';
export const FOREST_MEDIA_TYPE = 'application/geo+json';

export interface ForestTaskParams {
  /** Name of the output CRS. */
  readonly crs: string;
  /** Absent: false. */
  readonly rawOutline?: boolean;
}

/** Where state and results of a forest task are. */
export function forestTaskPaths(id: string): { readonly poll_url: string; readonly results_url: string } {
  return { poll_url: `/forest_polygon/${id}/status`, results_url: `/forest_polygon/${id}/results` };
}

/** Looks up the features of the input and writes what the synchronous answer would have been. */
export function forestTask(
  sources: () => Promise<PatchSources>,
  { forestPointTimeoutMs }: Pick<Config, 'forestPointTimeoutMs'>,
  report: (lookup: ForestLookup) => void = () => {},
): TaskHandler {
  return async ({ params, input, signal, write, progress }) => {
    const crs = findCrs((params as ForestTaskParams).crs);
    if ('refused' in crs) throw new Problem('task_failed', crs.refused);
    const features = await readFeatures(input);
    const total = features.length;
    const { rawOutline = false } = params as ForestTaskParams;
    const options = { crs, rawOutline, timeoutMs: forestPointTimeoutMs, signal };
    const patches = await findPatches(features, await sources(), options, {
      onDone: (done) => progress(done, total),
      onFound: (patch, seconds) => report(forestLookupOf(patch, seconds)),
    });
    for (const text of collectionText(features, patches, crs)) await write(Buffer.from(text));
    return { resultType: FOREST_MEDIA_TYPE };
  };
}

async function readFeatures(input: AsyncIterable<Uint8Array>): Promise<readonly unknown[]> {
  const chunks: Uint8Array[] = [];
  for await (const bytes of input) chunks.push(bytes);
  const features = parseJson(Buffer.concat(chunks).toString());
  if (!Array.isArray(features)) throw new Problem('task_failed', 'The input of the task cannot be read.');
  return features as unknown[];
}
