/** Where a dataset answers: west, south, east, north, or polygons. */
export type CoverageShape =
  | readonly [number, number, number, number]
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly (readonly number[])[])[])[] };

/** West, south, east and north of a coverage. */
export function boxOfCoverage(coverage: CoverageShape): readonly [number, number, number, number] {
  if (!('type' in coverage)) return coverage;
  const positions = coverage.coordinates.flat(2);
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [lon = 0, lat = 0] of positions) {
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return [west, south, east, north];
}

/** Whether a box reaches into the bounds of a coverage. */
export function covers(
  coverage: CoverageShape,
  [west, south, east, north]: readonly [number, number, number, number],
): boolean {
  const [w, s, e, n] = boxOfCoverage(coverage);
  return west <= e && east >= w && south <= n && north >= s;
}
