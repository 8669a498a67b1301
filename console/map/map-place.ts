/** Where a map stands. */
export interface MapPlace {
  readonly zoom: number;
  readonly lat: number;
  readonly lon: number;
}

/** As the address has it in `map`: `zoom/lat/lon`; null where that is missing or no place. */
export function readMapPlace(text: string | null): MapPlace | null {
  const [zoom, lat, lon] = (text ?? '').split('/').map(Number);
  if (zoom === undefined || lat === undefined || lon === undefined) return null;
  if (![zoom, lat, lon].every(Number.isFinite) || Math.abs(lat) > 90 || Math.abs(lon) > 540) return null;
  return { zoom, lat, lon };
}

export function writeMapPlace({ zoom, lat, lon }: MapPlace): string {
  return `${zoom.toFixed(2)}/${lat.toFixed(5)}/${lon.toFixed(5)}`;
}
