import { GEOMETRY_LIMITS } from '../../../geo/shapes/flat-positions.ts';

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
