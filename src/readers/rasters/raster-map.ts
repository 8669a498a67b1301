import type { Pixels } from './encode-row.ts';
import type { RasterLayer } from './read-pieces.ts';
import type { RasterPlace, RasterSpec } from './raster-spec.ts';
import type { RasterTiles } from './raster-tiles.ts';
import type { SampleMemory } from './sample-memory.ts';

/** One map of a raster, ready to be measured on. */
export interface RasterMap<P extends Pixels = Pixels> {
  readonly spec: RasterSpec;
  readonly place: RasterPlace;
  readonly layer: RasterLayer<P>;
}

/** What all measuring of one thread shares. */
export interface RasterReader {
  readonly tiles: RasterTiles;
  readonly memory: SampleMemory;
}
