import { DEFAULT_POINT_HA } from '../../geo/zonal/plot-ground.ts';
import { PIECE_PIXELS } from '../../readers/rasters/plan-pieces.ts';
import { DEFAULT_RASTER_DEADLINE_MS } from '../../readers/rasters/raster-spec.ts';
import { GROUP_BYTES } from '../../readers/rasters/read-pieces.ts';
import { MOST_TILES } from '../../readers/rasters/tile-template.ts';
import { EMBEDDING_DEADLINE_MS, MOST_EMBEDDING_PIXELS } from './embeddings.ts';
import { LARGE_PLOT_HA, PIXEL_MEMORY_BYTES, PLOTS_AT_ONCE } from './statistics.ts';

/** How plots are measured on rasters. */
export function plotLimits() {
  return [
    row('plot_point_ha', DEFAULT_POINT_HA, 'ha', 'Area of a plot that is given as a point without an area.'),
    row('plots_at_once', PLOTS_AT_ONCE, 'plots', 'Plots of a batch that are measured together.'),
    row('plot_large_ha', LARGE_PLOT_HA, 'ha', 'Area above which a plot is measured alone, with deadlines of its own.'),
    row(
      'plot_raster_deadline_ms',
      DEFAULT_RASTER_DEADLINE_MS,
      'ms',
      'Time for reading one raster for the plots measured together, unless its options.deadlineMs says otherwise.',
    ),
    row('plot_tiles', MOST_TILES, 'files', 'Files of one raster that one part of a plot may lie on.'),
    row(
      'plot_piece_pixels',
      PIECE_PIXELS,
      'pixels',
      'Pixels that are weighed at once; larger plots are measured piece by piece.',
    ),
    row(
      'plot_group_mb',
      GROUP_BYTES / 1e6,
      'MB',
      'Decoded blocks that neighbouring plots share while they are measured.',
    ),
    row(
      'plot_pixel_memory_mb',
      PIXEL_MEMORY_BYTES / 1e6,
      'MB',
      'Decoded blocks that a task thread keeps for the plots after them.',
    ),
    row(
      'plot_embedding_pixels',
      MOST_EMBEDDING_PIXELS,
      'pixels',
      'Pixels of embeddings that the diversity of one plot is taken from; of larger plots every n-th row and column.',
    ),
    row('plot_embedding_deadline_ms', EMBEDDING_DEADLINE_MS, 'ms', 'Time for the embeddings of one plot.'),
  ];
}

function row(name: string, value: number, unit: string, description: string) {
  return { name, value, unit, description };
}
