import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeCollections, type ExportDeps } from '../service/collections/export-collections.ts';
import { readFiling, type FilingWords } from '../service/collections/read-filing.ts';
import { findCompleted } from '../service/collections/fetch-collections.ts';
import { CUT_OFF } from '../monitoring-days.ts';

interface ExportRequest {
  readonly userId: string;
  /** Ids of completed collections. */
  readonly ids: readonly string[];
  /** `YYYY-MM-DD`; null: the cut-off of the regulation, and the latest end of the batches. */
  readonly monitoringStart: string | null;
  readonly monitoringEnd: string | null;
  /** Words of `EXCLUDABLE`. */
  readonly exclude: readonly string[];
  /** What is said of the filing, as it was written. */
  readonly filing: FilingWords;
  /** Absolute; a file that is there is replaced when the export is complete. */
  readonly path: string;
}

/** What the command line does with exports. */
export interface ExportAdmin {
  /** Writes the due diligence export to a file of this machine. Throws `Problem` as `GET /export_eudr_dds` does. */
  exportEudrDds(request: ExportRequest): Promise<{ readonly bytes: number; readonly sha256: string }>;
}

export function createExportAdmin(deps: ExportDeps): ExportAdmin {
  return {
    async exportEudrDds({ userId, ids, monitoringStart, monitoringEnd, exclude, filing: words, path }) {
      const filing = readFiling(words, new Date().toISOString().slice(0, 10));
      const collections = await findCompleted(deps, userId, ids, false);
      const ends = collections.map(({ options }) => options!.monitoringEnd).toSorted();
      const period = { start: monitoringStart ?? CUT_OFF, end: monitoringEnd ?? ends.at(-1)!, exclude, filing };
      const archive = await writeCollections(deps, collections, period, new AbortController().signal);
      const hash = createHash('sha256');
      let bytes = 0;
      async function* counted(): AsyncGenerator<Uint8Array, void> {
        for await (const chunk of archive) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      }
      const unfinished = `${path}.part`;
      try {
        await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(unfinished));
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      return { bytes, sha256: hash.digest('hex') };
    },
  };
}
