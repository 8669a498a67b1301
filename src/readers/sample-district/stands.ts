import { hashNoise, smoothNoise } from './hash-noise.ts';

/** What grows or stands at a place of the district. */
export const LAND_COVERS = ['primary', 'logged', 'swamp', 'rubber', 'palm', 'farmland', 'village', 'river'] as const;
export type LandCover = (typeof LAND_COVERS)[number];

/** A stretch of one land cover. */
export interface Stand {
  /** Distinguishes stands of one cover. */
  readonly id: number;
  readonly cover: LandCover;
}

/** Cells of 20 m between the middles of neighbouring stands: about 8 ha each. */
const SPACING = 14;
/** Cells of an estate's block, and of the road between two. */
const ESTATE_BLOCK = 18;
/** Half the width of the river, in cells. */
const RIVER_HALF_WIDTH = 2.2;

/** The stand at a cell of 20 m, counted from the district's upper left corner. */
export function standAt(column: number, row: number): Stand {
  if (Math.abs(row - riverRow(column)) < RIVER_HALF_WIDTH) return { id: 1, cover: 'river' };
  const estate = estateBlock(column, row);
  if (estate !== null) return estate;
  const [seedColumn, seedRow] = nearestSeed(
    column + 9 * (smoothNoise(column / 11, row / 11, 21) - 0.5),
    row + 9 * (smoothNoise(column / 11, row / 11, 22) - 0.5),
  );
  return { id: 1000 + seedColumn + 1000 * seedRow, cover: coverOf(seedColumn, seedRow) };
}

/** Row of the middle of the river at a column; it winds from west to east. */
export function riverRow(column: number): number {
  return 150 + 22 * Math.sin(column / 38) + 10 * smoothNoise(column / 17, 0, 31);
}

/** An oil palm estate in straight blocks, in the south-east; null elsewhere. */
function estateBlock(column: number, row: number): Stand | null {
  if (column < 168 || column >= 240 || row < 186 || row >= 240) return null;
  const across = Math.floor((column - 168) / ESTATE_BLOCK);
  const down = Math.floor((row - 186) / ESTATE_BLOCK);
  return { id: 100 + across + 10 * down, cover: 'palm' };
}

/** The stand whose middle is nearest: one lies in every square of the spacing, anywhere within it. */
function nearestSeed(column: number, row: number): readonly [column: number, row: number] {
  const homeColumn = Math.floor(column / SPACING);
  const homeRow = Math.floor(row / SPACING);
  let best = Infinity;
  let found: readonly [number, number] = [homeColumn, homeRow];
  for (let y = homeRow - 2; y <= homeRow + 2; y++) {
    for (let x = homeColumn - 2; x <= homeColumn + 2; x++) {
      const dx = (x + hashNoise(x, y, 11)) * SPACING - column;
      const dy = (y + hashNoise(x, y, 12)) * SPACING - row;
      const distance = dx * dx + dy * dy;
      if (distance < best) {
        best = distance;
        found = [x, y];
      }
    }
  }
  return found;
}

/** Covers lie in belts, as they do along a river: people near it, forest away from it. */
function coverOf(seedColumn: number, seedRow: number): LandCover {
  const away = Math.abs(seedRow * SPACING - riverRow(seedColumn * SPACING));
  const belt = away + 60 * (smoothNoise(seedColumn / 3, seedRow / 3, 41) - 0.5);
  const chance = hashNoise(seedColumn, seedRow, 42);
  if (belt < 12) return chance < 0.35 ? 'village' : 'farmland';
  if (belt < 34) return chance < 0.5 ? 'rubber' : chance < 0.75 ? 'farmland' : 'swamp';
  if (belt < 60) return chance < 0.6 ? 'logged' : 'swamp';
  return chance < 0.85 ? 'primary' : 'logged';
}
