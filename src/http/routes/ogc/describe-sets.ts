import { CRS84, MAP_CRS_URIS } from '../../../gis/map-crs.ts';
import { MAX_TILE_ZOOM } from '../../../gis/tiles/tile-bounds.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { MapSet } from '../../../service/gis/map-sets.ts';
import { FORMATS, GEOJSON, type Link } from './schemas.ts';

export const MVT = 'application/vnd.mapbox-vector-tile';
const QUERYABLES_REL = 'http://www.opengis.net/def/rel/ogc/1.0/queryables';
const TILESETS_REL = 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector';
const WEB_MERCATOR_QUAD = 'http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad';

/** Links to a page itself in both representations. */
export function selfLinks(address: string, mediaType: string = FORMATS.json): readonly Link[] {
  const html = new URL(address);
  html.searchParams.set('f', 'html');
  return [
    { href: address, rel: 'self', type: mediaType, title: 'This page' },
    { href: html.href, rel: 'alternate', type: 'text/html', title: 'This page for a browser' },
  ];
}

/** A set as a collection of OGC API. `extent` wins over what is known of it beforehand. */
export function describeSet(set: MapSet, base: string, extent: Bbox | null = set.coverage) {
  const address = `${base}/ogc/collections/${set.id}`;
  const spatial = extent === null ? {} : { spatial: { bbox: [extent], crs: CRS84 } };
  const temporal = set.period === null ? {} : { temporal: { interval: [[iso(set.period.from), iso(set.period.to)]] } };
  return {
    id: set.id,
    title: set.title,
    description: set.description,
    ...(set.attribution === null ? {} : { attribution: set.attribution }),
    ...(set.licence === null ? {} : { license: set.licence }),
    itemType: 'feature' as const,
    ...(extent === null && set.period === null ? {} : { extent: { ...spatial, ...temporal } }),
    crs: [...MAP_CRS_URIS],
    storageCrs: CRS84,
    links: [
      { href: address, rel: 'self', type: FORMATS.json, title: set.title },
      { href: `${address}/items`, rel: 'items', type: GEOJSON, title: `Features of ${set.title}` },
      {
        href: `${address}/queryables`,
        rel: QUERYABLES_REL,
        type: 'application/schema+json',
        title: 'Properties for filters',
      },
      { href: `${address}/tiles`, rel: TILESETS_REL, type: FORMATS.json, title: 'Vector tiles' },
      { href: `${base}/tiles/${set.id}`, rel: 'tilejson', type: FORMATS.json, title: 'Vector tiles as TileJSON' },
    ] satisfies readonly Link[],
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The tile set of a set as OGC API - Tiles describes it. */
export function describeTileSet(set: MapSet, base: string) {
  return {
    title: set.title,
    dataType: 'vector' as const,
    crs: 'http://www.opengis.net/def/crs/EPSG/0/3857',
    tileMatrixSetURI: WEB_MERCATOR_QUAD,
    tileMatrixSetLimits: Array.from({ length: MAX_TILE_ZOOM + 1 }, (_, z) => ({
      tileMatrix: String(z),
      minTileRow: 0,
      maxTileRow: 2 ** z - 1,
      minTileCol: 0,
      maxTileCol: 2 ** z - 1,
    })),
    links: [
      {
        href: `${base}/ogc/collections/${set.id}/tiles/WebMercatorQuad`,
        rel: 'self',
        type: FORMATS.json,
        title: set.title,
      },
      { href: `${base}/tiles/${set.id}`, rel: 'describedby', type: FORMATS.json, title: 'TileJSON' },
      {
        href: `${base}/tiles/${set.id}/{tileMatrix}/{tileCol}/{tileRow}`,
        rel: 'item',
        type: MVT,
        title: 'A tile',
        templated: true,
      },
    ] satisfies readonly Link[],
  };
}
