import { featureFrame, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { normalizeGrid, type GridReading } from '../../locations/normalize-grid.ts';
import { createLocationBytes, type LocationBytes } from '../../locations/formats/location-bytes.ts';
import { locationColumns, type NormalizedLocation } from '../../locations/normalized.ts';
import type { LocationDataset, LocationSources } from '../../locations/sources.ts';
import type { GridPart } from '../../locations/source-table.ts';
import { addToTally, emptyTally, type LocationTally } from '../../locations/summarise-locations.ts';
import { readGridPart } from '../../readers/formats/tables/read-csv.ts';

/** How the parts of one file are read and written. */
export interface NormalizeJob {
  readonly reading: GridReading;
  readonly format: FeatureFormat;
}

/** The locations of a part as they stand in the answer, without what comes before the first and after the last of the file. */
export interface NormalizedPart {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly tally: LocationTally;
  readonly datasets: readonly LocationDataset[];
}

/** Normalises the rows of a part, in their order; `sources` are those of the part alone. */
export async function normalizePart(
  part: GridPart,
  { reading, format }: NormalizeJob,
  sources: LocationSources,
  signal: AbortSignal,
): Promise<NormalizedPart> {
  const tally = emptyTally();
  const writer = format === 'csv' ? rowWriter() : locationWriter(format);
  await normalizeGrid(readGridPart(part), reading, sources, signal, (location) => {
    writer.add(location, tally.total === 0);
    addToTally(tally, location);
  });
  return { text: writer.take(), tally, datasets: sources.datasets() };
}

interface PartWriter {
  add(location: NormalizedLocation, isFirst: boolean): void;
  take(): Uint8Array<ArrayBuffer>;
}

/** Room for the text of a part, which the next part of the thread takes over. */
const spare: LocationBytes[] = [];

function locationWriter(format: 'geojson' | 'ndjson'): PartWriter {
  const bytes = spare.pop() ?? createLocationBytes();
  const { between } = featureFrame(format, null);
  return {
    add(location, isFirst) {
      if (!isFirst) bytes.addText(between);
      bytes.add(location);
      if (format === 'ndjson') bytes.addText('\n');
    },
    take() {
      const text = bytes.take();
      spare.push(bytes);
      return text;
    },
  };
}

function rowWriter(): PartWriter {
  const { one } = featureFrame('csv', locationColumns);
  const texts: string[] = [];
  return {
    add: (location) => void texts.push(one(location)),
    take: () => encoder.encode(texts.join('')),
  };
}

const encoder = new TextEncoder();
