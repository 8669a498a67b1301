/** Largest GeoJSON file of parcels that is held in memory, in bytes. */
export const MAX_GEOJSON_BYTES = 50_000_000;
/** Parcels that are read of one answer of a WFS. */
export const MOST_WFS_PARCELS = 200;
