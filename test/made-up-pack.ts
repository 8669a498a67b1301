import { draftPack, type PackDraft } from '../src/readers/packs/write-pack.ts';
import type { Bbox } from '../src/geo/shapes/shape.ts';

/** What a made-up pack is; the ground it knows is its box. */
export interface MadeUpPack {
  readonly id: string;
  readonly version?: string;
  readonly box: Bbox;
}

/** Makes a synthetic pack of what `fill` writes, in place of one of the same id. */
export async function makePack(
  packsFolder: string,
  { id, version = '1', box: [west, south, east, north] }: MadeUpPack,
  fill: (sink: PackDraft['sink']) => Promise<void>,
): Promise<void> {
  const draft = await draftPack(packsFolder);
  try {
    await fill(draft.sink);
    await draft.publish({
      mapped: 'whole',
      id,
      version,
      date: '2026-01-01',
      licence: 'CC0-1.0',
      attribution: 'none',
      synthetic: true,
      source: { kind: 'test', name: 'test', bytes: 0 },
      coverage: [[Float64Array.of(west, south, east, south, east, north, west, north, west, south)]],
    });
  } finally {
    await draft.close();
  }
}
