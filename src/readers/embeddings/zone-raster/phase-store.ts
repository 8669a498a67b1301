import { join } from 'node:path';
import type { BlockPhase } from '../../../geo/segmentation/detect-block-phase.ts';
import { createPack, readPack, writePack } from '../../packs/pack-file.ts';

/** Keeps what was found out about a raster for other processes and later starts. */
export interface PhaseStore {
  /** Null: not known yet. Never rejects. */
  read(): Promise<BlockPhase | null>;
  /** Never rejects: a phase that was not kept is looked up again. */
  write(phase: BlockPhase): Promise<void>;
}

/** The phase of one raster of a dataset as a file in `folder`. */
export function phaseStore(folder: string, dataset: string, raster: string): PhaseStore {
  const path = join(folder, `phase-${raster}.pack`);
  const key = `block-phase/1 ${raster}`;
  return {
    async read() {
      const { pack } = await readPack(path, dataset, key);
      if (pack === null) return null;
      const { x, y, confidence } = pack.header.meta as Record<keyof BlockPhase, unknown>;
      return { x: x === 1 ? 1 : 0, y: y === 1 ? 1 : 0, confidence: Number(confidence) };
    },
    async write({ x, y, confidence }) {
      // As text, because JSON has no infinity.
      const pack = createPack(dataset, key, {}, { x, y, confidence: String(confidence) });
      await writePack(path, pack).catch(() => {});
    },
  };
}
