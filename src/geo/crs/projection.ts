/** Both directions between longitude, latitude in degrees on WGS84 and x, y in the units of a coordinate reference system. */
export interface Projection {
  /** Writes x (easting) and y (northing) of a place to `out[at]` and `out[at + 1]`. */
  toXY(lon: number, lat: number, out: Float64Array, at: number): void;
  /** Writes longitude and latitude of a place to `out[at]` and `out[at + 1]`. */
  toLonLat(x: number, y: number, out: Float64Array, at: number): void;
}
