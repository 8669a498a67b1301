import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { BANDS } from '../../geo/segmentation/grid.ts';
import { openLocationFile } from '../../readers/formats/tables/open-location-file.ts';
import { readLabelledPoint, type LabelColumns, type LabelledPoint } from './training-point.ts';
import { TrainingRefused, TRAINING_RULES } from './training-rules.ts';

/** A file of labels, read. */
export interface TrainingLabels {
  readonly file: string;
  /** Of the file's bytes, in hexadecimal. */
  readonly sha256: string;
  readonly points: readonly LabelledPoint[];
}

/** Faults that are reported before the rest is only counted. */
const SHOWN = 5;

/**
 * Reads labelled points from any format of locations: GeoJSON, CSV, GeoPackage and so on. A table needs columns
 * `longitude` and `latitude`; with columns A00 to A63 it brings its own embeddings.
 * @throws TrainingRefused that names every kind of row that cannot be used; none is left out in silence.
 */
export async function readTrainingLabels(
  path: string,
  columns: LabelColumns,
  signal: AbortSignal,
): Promise<TrainingLabels> {
  const { size } = await stat(path);
  if (size === 0) throw new TrainingRefused(`${path}: wanted labelled points, got an empty file`);
  const file = await openLocationFile(path);
  if (!('tables' in file)) throw new TrainingRefused(`${path}: wanted labelled points, got ${file.format}`);
  const points: LabelledPoint[] = [];
  const faults: string[] = [];
  try {
    for (const table of file.tables) {
      const rows = table.kind === 'features' ? table.features() : namedRows(table.rows());
      for await (const { row, geometry, properties } of rows) {
        signal.throwIfAborted();
        const read = readLabelledPoint(geometry ?? null, properties, columns);
        if ('fault' in read) faults.push(`row ${row}: ${read.fault}`);
        else points.push(read);
        if (points.length > TRAINING_RULES.mostLabels)
          throw new TrainingRefused(`${path}: wanted at most ${TRAINING_RULES.mostLabels} labels, got more`);
      }
    }
  } finally {
    await file.close();
  }
  if (faults.length > 0) throw new TrainingRefused(`${path}: ${textOf(faults)}`);
  const withValues = points.filter(({ values }) => values !== null).length;
  if (withValues > 0 && withValues < points.length)
    throw new TrainingRefused(
      `${path}: wanted A00 to A${BANDS - 1} in every row or in none, got them in ${withValues} of ${points.length}`,
    );
  return { file: basename(path), sha256: await digestOf(path, signal), points };
}

interface NamedRow {
  readonly row: number;
  readonly geometry?: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The rows of a plain table by the names in its first row. */
async function* namedRows(
  rows: AsyncIterable<{ readonly row: number; readonly cells: readonly unknown[] }>,
): AsyncGenerator<NamedRow, void> {
  let names: readonly string[] | null = null;
  for await (const { row, cells } of rows) {
    if (names === null) names = cells.map((cell) => String(cell).trim());
    else yield { row, properties: Object.fromEntries(names.map((name, i) => [name, cells[i]])) };
  }
}

function textOf(faults: readonly string[]): string {
  const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more rows` : '';
  return `${faults.slice(0, SHOWN).join('; ')}${more}`;
}

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
