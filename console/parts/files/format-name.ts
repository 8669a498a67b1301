const NAMES: Readonly<Record<string, string>> = {
  flatgeobuf: 'FlatGeobuf',
  geojson: 'GeoJSON',
  geopackage: 'GeoPackage',
  geoparquet: 'GeoParquet',
  shapefile: 'Shapefile',
};

/** The format of a file as people write it; abbreviations are capitals. */
export function formatName(format: string): string {
  return NAMES[format] ?? format.toUpperCase();
}
