import type { FacilitySources, MaybeAnswer } from '../../src/facilities/sources.ts';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { OVERTURE_TYPES } from '../../src/readers/overture/overture-types.ts';
import type { AutoData } from '../../src/service/auto-data/auto-data.ts';
import { writeOverture, type OvertureFeature, type OvertureLayout } from '../overture-release.ts';

/** Where the made-up town is, and one of the fifty cells around it. */
export const TOWN = [-73.031, 5.827] as const;

const { signal } = new AbortController();

/** What fetched map data answers of a place. */
export async function ask(
  { sources }: Pick<AutoData, 'sources'>,
  [lon, lat]: readonly [number, number],
  question: 'nearestRoad' | 'nearestWater' | 'buildings' | 'businesses',
  withinM: number,
) {
  const shape = pointShape(lon, lat);
  const own = sources as FacilitySources;
  const answer: MaybeAnswer<unknown> =
    question === 'businesses'
      ? own.businesses('coffee', shape, withinM, signal)
      : own[question](shape, withinM, signal);
  return await answer;
}

/** A release with roads, water, houses and businesses in every cell around a town, sorted from west to east as rows of a release are. */
export async function writeWorld(
  root: string,
  release: string,
  over: Readonly<Record<string, OvertureLayout>> = {},
): Promise<void> {
  const cells = Array.from(
    { length: 20 * 10 },
    (_, i) => [-74 + Math.floor(i / 10) * 0.1, 5 + (i % 10) * 0.1] as const,
  );
  const features: Record<string, OvertureFeature[]> = {
    segment: cells.flatMap(([x, y], i) =>
      Array.from({ length: 20 }, (_, k): OvertureFeature => {
        const lat = y + k * 0.005;
        return { id: `r${i}-${k}`, line: [x, lat, x + 0.1, lat], subtype: 'road', class: 'tertiary' };
      }),
    ),
    water: cells.map(([x, y], i) => ({
      id: `w${i}`,
      line: [x, y + 0.03, x + 0.1, y + 0.03],
      subtype: 'river',
      class: 'river',
    })),
    building: cells.flatMap(([x, y], i) =>
      Array.from({ length: 400 }, (_, k): OvertureFeature => {
        const [west, south] = [x + (k % 20) * 0.005, y + Math.floor(k / 20) * 0.005];
        const ring = [west, south, west + 3e-4, south, west + 3e-4, south + 3e-4, west, south + 3e-4, west, south];
        return { id: `b${i}-${k}`, ring };
      }),
    ),
    place: [
      ...cells.flatMap(([x, y], i) =>
        Array.from({ length: 5 }, (_, k): OvertureFeature => {
          return {
            id: `p${i}-${k}`,
            point: [x + 0.01 + k * 0.02, y + 0.05],
            hierarchy: ['shopping', 'bakery'],
            category: 'bakery',
          };
        }),
      ),
      {
        id: 'roastery',
        point: [TOWN[0], TOWN[1] + 0.001],
        name: 'Tueste Uno',
        category: 'coffee_roastery',
        hierarchy: ['food_and_drink', 'coffee_shop', 'coffee_roastery'],
      },
    ],
    infrastructure: [{ id: 'i1', point: [-73, 5.5], subtype: 'pier', class: 'quay' }],
    land_use: [{ id: 'l1', point: [-73, 5.5], subtype: 'developed', class: 'works' }],
  };
  for (const { type, folder } of OVERTURE_TYPES) {
    const all = features[type] ?? [];
    const half = Math.ceil(all.length / 2);
    // Two files, west and east, as a town may meet both.
    for (const [part, own] of [all.slice(0, half), all.slice(half)].entries())
      if (own.length > 0) await writeOverture(root, release, folder, own, { rowGroup: 4_000, ...over[type], part });
  }
}
