import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { PlotStatistics } from '../../plot-record.ts';

/** What the maps that a plot was measured on show in and around it, cell by cell from the north-western corner of the picture. */
export interface MapPixels {
  readonly columns: number;
  readonly rows: number;
  /** 1 where forest stood on 2020-12-31, 0 where none did, 255 where the map says nothing. */
  readonly baseline: Uint8Array;
  /** Year of the loss after 2020; 0 where none is known. */
  readonly lossYears: Uint16Array;
  /** The datasets as they are named under the picture; null where the plot was measured on none. */
  readonly baselineDataset: string | null;
  readonly lossDataset: string | null;
}

/** A picture that is wanted: the part of the world in degrees and the cells that the page has room for. */
export interface PictureFrame {
  readonly bbox: Bbox;
  readonly columns: number;
  readonly rows: number;
}

/**
 * Reads a picture from the datasets of a plot's receipts. Null where they are not at hand in the versions that it was measured on, or
 * could not be read in time: the map is then drawn without them and says so.
 */
export interface MapPixelReader extends AsyncDisposable {
  read(
    statistics: Pick<PlotStatistics, 'baseline' | 'losses'>,
    frame: PictureFrame,
    signal: AbortSignal,
  ): Promise<MapPixels | null>;
}

/** Points of a page that a cell takes: the printed eye resolves no less. */
export const CELL_POINTS = 1.6;
