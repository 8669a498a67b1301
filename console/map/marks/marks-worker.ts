/// <reference lib="webworker" />
import { markTiles, type PackedPoints } from './mark-tiles.ts';

/** From the page: the points of a map in place of those before, or that it is closed; and the question for one of its tiles. */
export type ToMarks =
  | { readonly type: 'keep'; readonly set: number; readonly points: PackedPoints }
  | { readonly type: 'drop'; readonly set: number }
  | { readonly type: 'tile'; readonly question: number; readonly set: number; readonly tile: readonly number[] };

/** The answer to the question for a tile: a Mapbox Vector Tile, of no bytes where nothing lies. */
export interface FromMarks {
  readonly question: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const sets = new Map<number, ReturnType<typeof markTiles>>();

addEventListener('message', ({ data }: MessageEvent<ToMarks>) => {
  if (data.type === 'keep') sets.set(data.set, markTiles(data.points));
  else if (data.type === 'drop') sets.delete(data.set);
  else {
    const [z = 0, x = 0, y = 0] = data.tile;
    const bytes = (sets.get(data.set)?.(z, x, y) ?? new Uint8Array()) as FromMarks['bytes'];
    postMessage({ question: data.question, bytes } satisfies FromMarks, [bytes.buffer]);
  }
});
