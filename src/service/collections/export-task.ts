import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Collection } from '../../collections/collection.ts';
import type { FilingScope } from '../../collections/due-diligence/exclude.ts';
import type { ExportSource } from '../../collections/due-diligence/export-types.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import { recordText } from '../../collections/record-text.ts';
import type { TaskHandler } from '../../jobs/task.ts';
import type { DueDiligence } from './due-diligence.ts';
import { textLines } from '../../text-lines.ts';
import { spoolInput } from '../locations/spool-input.ts';

/** Writes a due diligence export that is too large to be made while its client waits. */
export const EXPORT_TASK = 'eudr_dds_export';

export interface ExportTaskParams {
  readonly collections: readonly ExportedCollection[];
  readonly period: FilingScope;
  /** ISO 8601. */
  readonly at: string;
  readonly locations: number;
}

/** A collection as JSON keeps it. */
type ExportedCollection = Omit<Collection, 'createdAt' | 'completedAt'> & {
  readonly createdAt: string;
  readonly completedAt: string | null;
};

export function exportedCollection(collection: Collection): ExportedCollection {
  return {
    ...collection,
    // Nothing that is exported.
    runs: [],
    createdAt: collection.createdAt.toISOString(),
    completedAt: collection.completedAt?.toISOString() ?? null,
  };
}

/**
 * The records of collections as the input of the task, because its worker reads no collections: a line per record after the
 * number of its collection, compressed. They are those of the moment the task was requested.
 */
export function exportInput(sources: readonly ExportSource[]): AsyncIterable<Uint8Array> {
  async function* lines(): AsyncGenerator<string, void> {
    let text = '';
    for (const [i, { records }] of sources.entries())
      for await (const record of records()) {
        text += `${i} ${recordText(record)}\n`;
        if (text.length < 65_536) continue;
        yield text;
        text = '';
      }
    yield text;
  }
  const compress = createZstdCompress();
  const source = Readable.from(lines());
  source.on('error', (error) => compress.destroy(error));
  return source.pipe(compress) as AsyncIterable<Uint8Array>;
}

export function exportTask(dueDiligence: Pick<DueDiligence, 'write'>): TaskHandler {
  return async ({ params, input, signal, write, progress }) => {
    const { collections, period, at, locations } = params as ExportTaskParams;
    progress(0, locations);
    await using spooled = await spoolInput(input, signal);
    let done = 0;
    const sources = collections.map(({ createdAt, completedAt, ...rest }, i): ExportSource => ({
      collection: {
        ...rest,
        createdAt: new Date(createdAt),
        completedAt: completedAt === null ? null : new Date(completedAt),
      },
      records: async function* () {
        for await (const record of recordsOf(spooled.path, i)) {
          // The second reading, for the audit trail, does not count again.
          if (done < locations) progress(++done, locations);
          yield record;
        }
      },
    }));
    for await (const bytes of dueDiligence.write(sources, { period }, new Date(at), signal)) await write(bytes);
    progress(locations, locations);
    return { resultType: 'application/zip' };
  };
}

async function* recordsOf(path: string, collection: number): AsyncGenerator<PlotRecord, void> {
  const file = createReadStream(path);
  const text = createZstdDecompress();
  file.on('error', (error) => text.destroy(error));
  const prefix = `${collection} `;
  try {
    for await (const line of textLines(file.pipe(text)))
      if (line.startsWith(prefix)) yield JSON.parse(line.slice(prefix.length)) as PlotRecord;
  } finally {
    file.destroy();
    text.destroy();
  }
}
