import { GEOMETRY_LIMITS } from '../../../geo/shapes/flat-positions.ts';
import { Problem } from '../../../errors.ts';

/** What a file of locations may hold; everything is finite, and `GET /limits` shows it. */
export const FILE_LIMITS = {
  /** Entries of an archive. */
  archiveEntries: 10_000,
  /** How many times larger than the archive its entries may be together once they are above `archiveFreeBytes`. */
  archiveRatio: 100,
  /** Unpacked bytes that any archive may have, whatever the ratio. */
  archiveFreeBytes: 50_000_000,
  /** Unpacked bytes of all entries together. */
  archiveBytes: 4_000_000_000,
  /** Bytes of one entry that has to be held in memory (the shapes of a shapefile, a .prj). */
  heldBytes: 200_000_000,
  /** Characters of the texts that the cells of a workbook share. */
  sharedCharacters: 100_000_000,
  sharedTexts: 3_000_000,
  /** Bytes of one value of a GeoPackage. */
  valueBytes: 32_000_000,
  /** Characters of one record of a CSV, one cell of a spreadsheet or one text of an XML file. */
  recordCharacters: 4_000_000,
  columns: 2_000,
  /** Cells of one sheet that are merged over several rows. */
  mergedCells: 1_000_000,
  sheets: 200,
  /** Vertices of one geometry. */
  vertices: GEOMETRY_LIMITS.vertices,
  /** Lines, rings, sets of points and members of one geometry. */
  parts: GEOMETRY_LIMITS.parts,
  /** Elements inside each other in an XML file. */
  xmlDepth: 64,
  /** Attributes of one XML element. */
  xmlAttributes: 1_000,
} as const;

/** The refusal of a file as a whole: `code` is stable, `detail` names what was wanted and what came. */
export function malformed(code: string, detail: string, cause?: unknown): Problem {
  return new Problem('malformed_file', detail, {
    errors: [{ pointer: '/form/file', code, detail }],
    ...(cause === undefined ? {} : { cause }),
  });
}

export function tooLarge(detail: string): Problem {
  return new Problem('too_large', detail, { errors: [{ pointer: '/form/file', code: 'too_large', detail }] });
}

/** More vertices than one geometry may have: the file is refused, as it is where the reader leaves the counting to others. */
class TooManyVertices extends Error {
  override readonly name = 'TooManyVertices';
  constructor(count: number) {
    super(`has ${count} vertices; wanted at most ${FILE_LIMITS.vertices} (file_vertices in /limits)`);
  }
}

/** @throws TooManyVertices before memory is spent on them */
export function refuseVertices(count: number): void {
  if (count > FILE_LIMITS.vertices) throw new TooManyVertices(count);
}

/** What a reader rethrows of what it caught at a row. */
export function atRow(error: unknown, row: number): unknown {
  return error instanceof TooManyVertices
    ? new Problem('too_large', `The geometry of row ${row} ${error.message}.`, { cause: error })
    : error;
}
