import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import { boxesOf } from '../../../gis/boxes.ts';
import { MAX_ARCHIVE_TILES } from '../../../gis/tiles/archive-tiles.ts';
import { isTile, MAX_TILE_ZOOM, type TileId } from '../../../gis/tiles/tile-bounds.ts';
import { DEFAULT_ARCHIVE_ZOOM, type SetArchiver } from '../../../service/gis/archive-set.ts';
import { MAX_LABEL_ARCHIVE_TILES } from '../../../service/gis/segment-set.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { type App, principalOf } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { baseOf, sendDescription } from './answers.ts';
import { describeTileSet, MVT, selfLinks } from './describe-sets.ts';
import type { FeatureRouteDeps } from './features.ts';
import { boxOf, crsOf } from './read-items-query.ts';
import { EXAMPLE_SET, FORMATS, FormatQuery, SetParams } from './schemas.ts';
import { streamed } from '../../server/send-features.ts';

/** Seconds in which a map program shows a tile again without a request. */
const TILE_MAX_AGE_S = 60;
const PMTILES = 'application/vnd.pmtiles';

export interface TileRouteDeps extends FeatureRouteDeps {
  readonly archiver: SetArchiver;
}

const TileSetParams = Type.Object({
  set_id: Type.String({ description: 'Id of a set, of the list at `/ogc/collections`.', examples: [EXAMPLE_SET] }),
});
const TileParams = Type.Object({
  set_id: Type.String({ description: 'Id of a set, of the list at `/ogc/collections`.', examples: [EXAMPLE_SET] }),
  z: Type.String({ description: `Zoom, 0 to ${MAX_TILE_ZOOM}.`, examples: ['12'] }),
  x: Type.String({ description: 'Column from the west.', examples: ['3215'] }),
  y: Type.String({ description: 'Row from the north; `.pbf` or `.mvt` may follow.', examples: ['1995'] }),
});
const JUST_FORMAT = Type.Object(FormatQuery, { additionalProperties: false });
const Open = Type.Object({}, { additionalProperties: true });

/** Vector tiles of every set, as TileJSON and OGC API - Tiles describe them. */
export function addTileRoutes(app: App, deps: TileRouteDeps): void {
  tileSetsRoute(app, deps);
  tileSetRoute(app, deps);
  tileJsonRoute(app, deps);
  archiveRoute(app, deps);
  tileRoute(app, deps);
}

function tileSetsRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id/tiles',
    {
      config: { access: 'authenticated', produces: [FORMATS.json, FORMATS.html] },
      schema: {
        operationId: 'listOgcTileSets',
        summary: 'OGC API: tile sets of a set of features',
        description: 'There is one, in the square scheme of the web (WebMercatorQuad).',
        tags: ['maps'],
        params: SetParams,
        querystring: JUST_FORMAT,
        response: { 200: Open, ...problemResponses(['malformed_query', 'collection_not_ready']) },
      },
    },
    async (request, reply) => {
      const set = await sets.find(principalOf(request), request.params.collection_id);
      const base = baseOf(request, publicUrl);
      const { tileMatrixSetLimits: _, ...tileSet } = describeTileSet(set, base);
      const links = selfLinks(`${base}/ogc/collections/${set.id}/tiles`);
      return sendDescription(
        request,
        reply,
        { links, tilesets: [tileSet] },
        { title: `Tiles of ${set.title}` },
      ) as never;
    },
  );
}

function tileSetRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/ogc/collections/:collection_id/tiles/WebMercatorQuad',
    {
      config: { access: 'authenticated', produces: [FORMATS.json, FORMATS.html] },
      schema: {
        operationId: 'getOgcTileSet',
        summary: 'OGC API: the tile set of a set of features',
        description: `Zooms 0 to ${MAX_TILE_ZOOM}, with the address of its tiles.`,
        tags: ['maps'],
        params: SetParams,
        querystring: JUST_FORMAT,
        response: { 200: Open, ...problemResponses(['malformed_query', 'collection_not_ready']) },
      },
    },
    async (request, reply) => {
      const set = await sets.find(principalOf(request), request.params.collection_id);
      return sendDescription(request, reply, describeTileSet(set, baseOf(request, publicUrl))) as never;
    },
  );
}

function tileJsonRoute(app: App, { sets, publicUrl }: FeatureRouteDeps): void {
  app.get(
    '/tiles/:set_id',
    {
      config: { access: 'authenticated' },
      schema: {
        operationId: 'getTileJson',
        summary: 'Vector tiles of a set of features, as TileJSON',
        description: 'What MapLibre and other map programs need to draw the set.',
        tags: ['maps'],
        params: TileSetParams,
        response: { 200: Open, ...problemResponses(['malformed_query', 'collection_not_ready']) },
      },
    },
    async (request, reply) => {
      const set = await sets.find(principalOf(request), request.params.set_id);
      const signal = leavingSignal(reply);
      const opened = await set.open(signal);
      const extent = opened.extent ?? set.coverage;
      return {
        tilejson: '3.0.0',
        name: set.title,
        description: set.description,
        ...(set.attribution === null ? {} : { attribution: set.attribution }),
        scheme: 'xyz',
        tiles: [`${baseOf(request, publicUrl)}/tiles/${set.id}/{z}/{x}/{y}`],
        minzoom: 0,
        maxzoom: MAX_TILE_ZOOM,
        ...(extent === null ? {} : { bounds: extent }),
        vector_layers: await opened.tileLayers(signal),
      };
    },
  );
}

function archiveRoute(app: App, { sets, archiver }: TileRouteDeps): void {
  app.get(
    '/tiles/:set_id/archive.pmtiles',
    {
      config: { access: 'authenticated', produces: [PMTILES, 'application/octet-stream'] },
      schema: {
        operationId: 'getTileArchive',
        summary: 'All vector tiles of a set of features, as PMTiles',
        description: `One file of the tiles down to a zoom, to be put on any web server. It ends with the last zoom that has room for all of its tiles (at most ${MAX_ARCHIVE_TILES}, and ${MAX_LABEL_ARCHIVE_TILES} of a label store); \`X-Max-Zoom\` says which. Made while the request waits.`,
        tags: ['maps'],
        params: TileSetParams,
        querystring: Type.Object(
          {
            max_zoom: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: MAX_TILE_ZOOM,
                default: DEFAULT_ARCHIVE_ZOOM,
                description: 'The deepest zoom that is wanted.',
              }),
            ),
            bbox: Type.Optional(
              Type.String({
                maxLength: 200,
                description:
                  'West, south, east, north in degrees: only tiles that touch the box, whole. A part of a large set goes to deeper zooms.',
                examples: ['102.57,4.59,102.59,4.60'],
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'The archive.',
            content: { [PMTILES]: { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
          },
          ...problemResponses(['malformed_query', 'collection_not_ready', 'queue_full']),
        },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      const set = await sets.find(principal, request.params.set_id);
      const { max_zoom: maxZoom = DEFAULT_ARCHIVE_ZOOM, bbox } = request.query;
      const boxes = bbox === undefined ? null : boxesOf(boxOf(bbox, crsOf('bbox-crs')));
      const made = await archiver.archive(set, principal.userId, { maxZoom, boxes }, leavingSignal(reply));
      reply.raw.once('close', () => void made[Symbol.asyncDispose]());
      reply.headers({
        'content-length': made.size,
        'content-disposition': `attachment; filename="${set.id}.pmtiles"`,
        'x-max-zoom': made.maxZoom,
      });
      return reply.type(PMTILES).send(streamed(reply, made.bytes) as never);
    },
  );
}

function tileRoute(app: App, { sets }: FeatureRouteDeps): void {
  app.get(
    '/tiles/:set_id/:z/:x/:y',
    {
      config: { access: 'authenticated', tile: true, produces: [MVT, 'application/octet-stream'] },
      schema: {
        operationId: 'getTile',
        summary: 'A vector tile of a set of features',
        description:
          'Mapbox Vector Tile with the layer `features`, bounded in time and bytes: where features are too many one stands for several (`stands_for`), and the layer `summary` says how many are left out. Far away from a label store there is the layer `coverage` in place of segments. 204 where nothing lies.',
        tags: ['maps'],
        params: TileParams,
        response: {
          200: {
            description: 'The tile.',
            content: { [MVT]: { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
          },
          204: Type.Null({ description: 'Nothing lies here.' }),
          304: Type.Null({ description: 'You have it already.' }),
          ...problemResponses(['malformed_query', 'collection_not_ready']),
        },
      },
    },
    async (request, reply) => {
      const { set_id: id, ...place } = request.params;
      const tile = tileOf(place);
      const set = await sets.find(principalOf(request), id);
      const etag = etagOf(JSON.stringify([set.id, set.version, tile]));
      reply.headers({ etag, 'cache-control': `private, max-age=${TILE_MAX_AGE_S}`, vary: 'authorization' });
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send(null);
      const signal = leavingSignal(reply);
      const bytes = await (await set.open(signal)).tile(tile, signal);
      if (bytes.length === 0) return reply.code(204).send(null);
      return reply.type(MVT).send(Buffer.from(bytes) as never);
    },
  );
}

const WHOLE = /^\d{1,6}$/;

/** The tile of an address; throws `Problem('not_found')` where there is none. */
function tileOf({ z, x, y }: Readonly<Record<keyof TileId, string>>): TileId {
  const texts = [z, x, y.replace(/\.(?:pbf|mvt)$/, '')];
  const [zoom, column, row] = texts.map((text) => (WHOLE.test(text) ? Number(text) : -1));
  const tile = { z: zoom, x: column, y: row };
  if (isTile(tile)) return tile;
  const wanted = `wanted a zoom from 0 to ${MAX_TILE_ZOOM}, and a column and a row of it`;
  throw new Problem('not_found', `There is no tile ${[z, x, y].join('/').slice(0, 60)}; ${wanted}.`);
}
