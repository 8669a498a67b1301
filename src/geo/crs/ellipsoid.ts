/** Semi-major axis of WGS84 in metres. */
export const WGS84_A = 6378137;

/** Flattening of WGS84. */
export const WGS84_F = 1 / 298.257223563;

/** First eccentricity squared of WGS84. */
export const WGS84_E2 = WGS84_F * (2 - WGS84_F);

/** Metres in a degree of a great circle, to scale maps and tolerances by. Distances are measured exactly elsewhere. */
export const METRES_PER_DEGREE = 111_320;

/** A degree in radians. */
export const DEGREE = Math.PI / 180;
