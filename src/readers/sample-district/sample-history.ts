import { hashNoise } from './hash-noise.ts';
import { standAt, type LandCover } from './stands.ts';

/** What a cell of 20 m was and became. */
export interface CellHistory {
  readonly cover: LandCover;
  /** Whether it was forest at the end of 2020. */
  readonly isForest: boolean;
  /** Year in which its trees were felled; 0: never. */
  readonly lossYear: number;
}

/** Years the made-up losses lie in. */
export const LOSS_YEARS = [2001, 2024] as const;

const FORESTS: ReadonlySet<LandCover> = new Set(['primary', 'logged', 'swamp']);
/** Year in which the blocks of the estate were cleared, from west to east. The last two were forest at the end of 2020. */
const ESTATE_YEARS = [2012, 2018, 2021, 2023];

/**
 * The made-up history of a cell: an estate that grew eastward over the cut-off of 2020-12-31, farms and rubber of all ages, rubber
 * felled for replanting after 2020, which is a loss outside the forest, and gaps cut in logged forest since.
 */
export function historyAt(column: number, row: number): CellHistory {
  const { id, cover } = standAt(column, row);
  const lossYear = lossYearOf(id, cover, column, row);
  // What was felled after 2020 was forest then, unless it was rubber.
  const isForest = FORESTS.has(cover) || (lossYear > 2020 && cover !== 'rubber');
  return { cover, isForest, lossYear };
}

function lossYearOf(id: number, cover: LandCover, column: number, row: number): number {
  const chance = hashNoise(id, 7, 61);
  if (cover === 'palm') return ESTATE_YEARS[(id - 100) % 10] ?? 0;
  if (cover === 'rubber') return chance < 0.25 ? 2022 : 2001 + Math.floor(chance * 14);
  if (cover === 'farmland')
    return chance < 0.3 ? 2021 + Math.floor(chance * 12) : chance < 0.6 ? 2002 + Math.floor(chance * 25) : 0;
  if (cover === 'logged') return hashNoise(column >> 1, row >> 1, 62) < 0.04 ? 2021 + (id % 4) : 0;
  return 0;
}
