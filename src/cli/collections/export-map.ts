import { resolve } from 'node:path';
import { openMapExport } from '../../app/map-export.ts';
import { MAX_TILE_ZOOM } from '../../gis/tiles/tile-bounds.ts';
import { DEFAULT_ARCHIVE_ZOOM } from '../../service/gis/archive-set.ts';
import { type Command, UsageError } from '../command.ts';
import { readBbox } from '../parts/read-places.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

export const exportMap: Command = {
  args: [
    {
      name: 'SET',
      doc: 'plots-ID or facilities-ID of a collection, results-ID of a task that rated places, or the id of a pack, of parcels or of a label store.',
      required: true,
    },
  ],
  options: {
    ...USER_OPTION,
    output: { type: 'string', short: 'o', value: 'FILE', doc: 'Where the archive goes; default SET.pmtiles.' },
    bbox: { type: 'string', value: 'W,S,E,N', doc: 'Only the tiles that touch this box, in degrees.' },
    'max-zoom': {
      type: 'string',
      value: 'N',
      doc: `The deepest zoom, up to ${MAX_TILE_ZOOM}; default ${DEFAULT_ARCHIVE_ZOOM}.`,
    },
  },
  examples: [
    'npx firstmile export map plots-0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d -o lot-7.pmtiles',
    'npx firstmile export map sample-district-labels --bbox 102.57,4.59,102.59,4.60 --max-zoom 14',
  ],
  async run({ args, options, config, out, err }) {
    const set = args[0] ?? '';
    const maxZoom = Number(options['max-zoom'] ?? DEFAULT_ARCHIVE_ZOOM);
    if (!Number.isInteger(maxZoom) || maxZoom < 0 || maxZoom > MAX_TILE_ZOOM)
      throw new UsageError(
        `--max-zoom: wanted a whole number from 0 to ${MAX_TILE_ZOOM}, got "${String(options['max-zoom'])}"`,
      );
    const boxes = options['bbox'] === undefined ? null : [readBbox(options['bbox'], 'export')];
    const userId = await userIdOf(options['user'], config);
    const path = resolve((options['output'] as string | undefined) ?? `${set}.pmtiles`);
    await using opened = await openMapExport(config);
    const made = await opened.maps.exportMap({ userId, set, part: { maxZoom, boxes }, path });
    out.write(`${path}\n${made.bytes} bytes, ${made.tiles} tiles of zooms 0 to ${made.maxZoom}.\n`);
    if (made.maxZoom < maxZoom)
      err.write(
        `Zoom ${made.maxZoom + 1} could take more tiles than an archive holds, so it ends with ${made.maxZoom}. A smaller --bbox goes farther.\n`,
      );
    return 0;
  },
};
