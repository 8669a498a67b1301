import { seededRandom } from '../src/geo/seeded-random.ts';

/** The grid of the made-up rasters that plots are measured on. */
export const ZONAL_GRID = { side: 16_384, pixel: 0.00025, west: 102, north: 6, block: 512 } as const;

const PLOTS = 10_000;
const PLOT_HA = 4;

/** Polygons of 5 to 12 corners and about 4 ha all over a raster, in the order of its blocks. */
export function makePlots(
  { side, pixel, west, north, block }: Readonly<Record<keyof typeof ZONAL_GRID, number>> = ZONAL_GRID,
  count = PLOTS,
): { type: 'Polygon'; coordinates: number[][][] }[] {
  const random = seededRandom(4);
  const reach = side * pixel;
  const plots = Array.from({ length: count }, () => {
    const lon = west + 0.01 + random() * (reach - 0.02);
    const lat = north - 0.01 - random() * (reach - 0.02);
    const corners = 5 + Math.floor(random() * 8);
    const radius = Math.sqrt((PLOT_HA * 10_000) / Math.PI) / 111_000;
    const ring = Array.from({ length: corners }, (_, i) => {
      const angle = (2 * Math.PI * i) / corners;
      const far = radius * (0.8 + 0.6 * random());
      return [lon + far * Math.cos(angle), lat + far * Math.sin(angle)];
    });
    return { lon, lat, ring: [...ring, ring[0]] };
  });
  const blockOf = (degrees: number): number => Math.floor(degrees / pixel / block);
  return plots
    .toSorted(
      (a, b) => blockOf(north - a.lat) - blockOf(north - b.lat) || blockOf(a.lon - west) - blockOf(b.lon - west),
    )
    .map(({ ring }) => ({ type: 'Polygon', coordinates: [ring] }));
}
