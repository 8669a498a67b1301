import { PLOT_RULES } from '../../locations/plots/plot-options.ts';
import { FILE_LIMITS } from '../../readers/formats/tables/file-limits.ts';
import { PROSE_LIMITS } from '../../readers/formats/tables/prose-text.ts';

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

type Row = readonly [value: number, unit: string, description: string];

const FILES: Readonly<Record<keyof typeof FILE_LIMITS, Row>> = {
  archiveEntries: [FILE_LIMITS.archiveEntries, 'entries', 'Entries of an archive (zipped shapefile, KMZ, XLSX).'],
  archiveRatio: [
    FILE_LIMITS.archiveRatio,
    'times',
    'How many times larger than the archive its entries may be, above archive_free_bytes.',
  ],
  archiveFreeBytes: [
    FILE_LIMITS.archiveFreeBytes,
    'bytes',
    'Unpacked bytes that any archive may have, whatever the ratio.',
  ],
  archiveBytes: [FILE_LIMITS.archiveBytes, 'bytes', 'Unpacked bytes of an archive.'],
  heldBytes: [
    FILE_LIMITS.heldBytes,
    'bytes',
    'A part of a file that has to be held in memory: the shapes of a shapefile.',
  ],
  sharedCharacters: [FILE_LIMITS.sharedCharacters, 'characters', 'All texts that the cells of a workbook share.'],
  sharedTexts: [FILE_LIMITS.sharedTexts, 'texts', 'Texts that the cells of a workbook share.'],
  valueBytes: [FILE_LIMITS.valueBytes, 'bytes', 'One value of a GeoPackage.'],
  recordCharacters: [FILE_LIMITS.recordCharacters, 'characters', 'One record of a CSV.'],
  columns: [FILE_LIMITS.columns, 'columns', 'Columns of a table, and cells of one row.'],
  sheets: [FILE_LIMITS.sheets, 'sheets', 'Sheets of a workbook, layers of a GeoPackage.'],
  vertices: [FILE_LIMITS.vertices, 'vertices', 'Vertices of one geometry.'],
  parts: [FILE_LIMITS.parts, 'parts', 'Lines, rings, sets of points and members of one geometry.'],
  xmlDepth: [FILE_LIMITS.xmlDepth, 'levels', 'Elements inside each other in an XML file.'],
  xmlAttributes: [FILE_LIMITS.xmlAttributes, 'attributes', 'Attributes of one element of an XML file.'],
};

const PROSE: Readonly<Record<keyof typeof PROSE_LIMITS, Row>> = {
  fileBytes: [PROSE_LIMITS.fileBytes, 'bytes', 'A text or PDF document that a language model reads.'],
  characters: [PROSE_LIMITS.characters, 'characters', 'The text of it.'],
  pages: [PROSE_LIMITS.pages, 'pages', 'Pages of a PDF document.'],
};

const PLOTS: Readonly<Record<keyof typeof PLOT_RULES, Row>> = {
  polygonAboveHa: [PLOT_RULES.polygonAboveHa, 'ha', 'Area above which a plot has to be a polygon.'],
  leastHa: [PLOT_RULES.leastHa, 'ha', 'A plot of less fails the check of its area.'],
  inWaterShare: [
    PLOT_RULES.inWaterShare,
    'share of the plot',
    'In water, farther from the shore than outlines are off: from this on the plot counts as lying in it.',
  ],
  leastDecimals: [PLOT_RULES.leastDecimals, 'decimals', 'Coordinates with fewer raise a warning.'],
  overlapHa: [PLOT_RULES.overlapHa, 'ha', 'Overlaps below this are not reported.'],
  overlapPercent: [PLOT_RULES.overlapPercent, '%', 'Overlaps below this share of the smaller plot are not reported.'],
  facilityWithinKm: [
    PLOT_RULES.facilityWithinKm,
    'km',
    'A plot further than this from every facility of its batch raises a warning.',
  ],
  comparedPlots: [PLOT_RULES.comparedPlots, 'plots', 'Plots of a batch that are compared with each other.'],
  comparedVertices: [PLOT_RULES.comparedVertices, 'vertices', 'Vertices of all plots that are compared.'],
  neighbours: [PLOT_RULES.neighbours, 'plots', 'Neighbours one plot is compared with.'],
};

/** What files of locations may hold and how plots are evaluated. */
export function locationLimits(): readonly Limit[] {
  return [...rows('file', FILES), ...rows('prose', PROSE), ...rows('plot', PLOTS)];
}

function rows(prefix: string, table: Readonly<Record<string, Row>>): Limit[] {
  return Object.entries(table).map(([name, [value, unit, description]]) => ({
    name: `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    value,
    unit,
    description,
  }));
}
