const WGS84_NAMES = [
  /^(OGC:)?CRS84h?$/i,
  /^WGS ?84$/i,
  /^EPSG:+(4326|4979)$/i,
  /^urn:(ogc|x-ogc):def:crs:OGC:[\d.]*:CRS84h?$/i,
  /^urn:(ogc|x-ogc):def:crs:EPSG:[\d.]*:(4326|4979)$/i,
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(OGC\/[\d.]+\/CRS84h?|EPSG\/[\d.]+\/(4326|4979))$/i,
];

/**
 * The name of the coordinate reference system that a `crs` member (GeoJSON of 2008) states, or null when it is WGS84 in
 * one of its spellings or not stated at all. A member of unknown form is named by its JSON text.
 */
export function foreignCrs(crs: unknown): string | null {
  if (crs === null || crs === undefined) return null;
  const name = crsName(crs);
  return WGS84_NAMES.some((pattern) => pattern.test(name.trim())) ? null : name;
}

function crsName(crs: unknown): string {
  const { type, properties } = crs as { type?: unknown; properties?: Record<string, unknown> | null };
  if (typeof crs === 'string') return crs;
  if (type === 'name' && typeof properties?.name === 'string') return properties.name;
  if (type === 'EPSG' && properties?.code !== undefined) return `EPSG:${String(properties.code)}`;
  if (type === 'link' && typeof properties?.href === 'string') return properties.href;
  return JSON.stringify(crs).slice(0, 200);
}
