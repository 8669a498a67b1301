/** GeoJSON (RFC 7946) as types. Positions are longitude, latitude and an optional height, in degrees and metres on WGS84. */
export type Position = readonly number[];

export interface Point {
  readonly type: 'Point';
  readonly coordinates: Position;
}
export interface MultiPoint {
  readonly type: 'MultiPoint';
  readonly coordinates: readonly Position[];
}
export interface LineString {
  readonly type: 'LineString';
  readonly coordinates: readonly Position[];
}
export interface MultiLineString {
  readonly type: 'MultiLineString';
  readonly coordinates: readonly (readonly Position[])[];
}
export interface Polygon {
  readonly type: 'Polygon';
  readonly coordinates: readonly (readonly Position[])[];
}
export interface MultiPolygon {
  readonly type: 'MultiPolygon';
  readonly coordinates: readonly (readonly (readonly Position[])[])[];
}
export interface GeometryCollection {
  readonly type: 'GeometryCollection';
  readonly geometries: readonly Geometry[];
}
export type Geometry = Point | MultiPoint | LineString | MultiLineString | Polygon | MultiPolygon | GeometryCollection;

/** A feature as it came or was stored: its geometry is checked where it is used. */
export type UncheckedFeature<P = Readonly<Record<string, unknown>>> = Feature<P, unknown>;

export interface Feature<P = Readonly<Record<string, unknown>>, G = Geometry | null> {
  readonly type: 'Feature';
  readonly id?: string | number;
  readonly geometry: G;
  readonly properties: P;
}
