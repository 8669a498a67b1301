import { createRequire } from 'node:module';
import { VectorTile } from '@mapbox/vector-tile';

const { PbfReader } = createRequire(createRequire(import.meta.url).resolve('@mapbox/vector-tile'))('pbf') as {
  readonly PbfReader: new (bytes: Uint8Array) => ConstructorParameters<typeof VectorTile>[0];
};

/** Reads a Mapbox Vector Tile with what map programs read it with; one of no bytes has no layers. */
export function readTile(bytes: Uint8Array): VectorTile {
  return new VectorTile(new PbfReader(bytes));
}
