import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { sumClasses } from '../../geo/zonal/sum-pixels.ts';
import { weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import { planMeasuring } from './plan-measuring.ts';
import type { RasterMap, RasterReader } from './raster-map.ts';
import type { RasterTile } from './raster-tiles.ts';
import { readPieces, type Piece, type PieceRead } from './read-pieces.ts';
import type { PlotSums } from './measure-rasters.ts';

type Layer = RasterMap<Uint8Array>;

/**
 * Hectares of each plot by class of several maps, a list for each map; pixels without data are in none. Maps with the same pixels
 * are measured together: what a plot covers of each pixel is worked out once for all of them. One that fails does not
 * take the others with it.
 */
export async function measureLayers(
  { tiles, memory }: RasterReader,
  layers: readonly Layer[],
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<readonly PlotSums[]> {
  const sums = layers.map(({ layer: { encoding } }) => plots.map(() => new Float64Array(encoding.classes)));
  const errors = layers.map(() => new Map<number, unknown>());
  const placeOf = new Map(layers.map(({ layer }, i) => [layer.id, i]));
  const planned: Piece<Uint8Array>[] = [];
  for (const [i, layer] of layers.entries())
    planned.push(...(await planMeasuring(tiles, layer, null, plots, errors[i], signal)));
  let weights = new Float64Array(0);
  const read = async (pieces: readonly Piece<Uint8Array>[]): Promise<Piece<Uint8Array>[]> => {
    const apart: Piece<Uint8Array>[] = [];
    await readPieces(pieces, memory, signal, {
      measure({ plot, polygon, reads }, windows) {
        const [{ tile, window }] = reads;
        const count = window.width * window.height;
        if (weights.length < count) weights = new Float64Array(count);
        weighPixels(polygon, tile.grid, window, weights);
        reads.forEach(({ layer }, i) =>
          sumClasses(weights, windows[i], count, layer.encoding.classes, sums[indexOf(layer)][plot]),
        );
      },
      fail({ plot, polygon, reads }, error) {
        // Which of several maps it was is seen when each is read alone.
        if (reads.length > 1) apart.push(...reads.map((own) => ({ plot, polygon, reads: [own] as const })));
        else errors[indexOf(reads[0].layer)].set(plot, error);
      },
    });
    return apart;
  };
  const indexOf = ({ id }: Layer['layer']): number => placeOf.get(id) ?? 0;
  const apart = await read(joinPieces(planned));
  if (apart.length > 0) await read(apart);
  return sums.map((own, i) =>
    own.map((sum, plot) => (errors[i].has(plot) ? { error: errors[i].get(plot) } : { sums: sum })),
  );
}

/** Pieces of the same plot on the same pixels of files of different maps become one, which is weighed once. */
function joinPieces(pieces: readonly Piece<Uint8Array>[]): Piece<Uint8Array>[] {
  const joined = new Map<string, { readonly piece: Piece<Uint8Array>; readonly reads: PieceRead<Uint8Array>[] }>();
  const grids = new Map<RasterTile, string>();
  for (const piece of pieces) {
    const [{ tile, window }] = piece.reads;
    const { x0, y0, width, height } = window;
    const grid = grids.get(tile) ?? `${tile.grid.crs.code} ${tile.grid.transform.join(' ')}`;
    grids.set(tile, grid);
    const key = `${piece.plot} ${x0} ${y0} ${width} ${height} ${grid}`;
    const known = joined.get(key);
    // Two parts of a plot may lie on the same pixels, each with a share of its own.
    if (known !== undefined && known.piece.polygon[0].length === piece.polygon[0].length && isSame(known.piece, piece))
      known.reads.push(...piece.reads);
    else joined.set(known === undefined ? key : `${key} ${joined.size}`, { piece, reads: [...piece.reads] });
  }
  return [...joined.values()].map(({ piece, reads: [first, ...rest] }) => ({ ...piece, reads: [first, ...rest] }));
}

function isSame({ polygon: a }: Piece, { polygon: b }: Piece): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((ring, i) => ring.every((value, j) => value === b[i][j]));
}
