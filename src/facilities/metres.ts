/** A distance in metres as people read it: `0 m`, `640 m`, `1,234 m`, `36 km`. Whole metres below 10 km, whole kilometres above. */
export function metres(distance: number): string {
  if (distance >= 10_000) return `${Math.round(distance / 1_000)} km`;
  const whole = Math.round(distance);
  return whole < 1_000 ? `${whole} m` : `${Math.floor(whole / 1_000)},${String(whole % 1_000).padStart(3, '0')} m`;
}
