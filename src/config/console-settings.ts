import { nonEmpty, oneOf, optional, setting, tileTemplate } from './parsers.ts';

/** The settings of what the console draws in addition to its own map. */
export const CONSOLE_SETTINGS = {
  consoleTiles: setting(
    'CONSOLE_TILES',
    '',
    optional(tileTemplate),
    'Map tiles for the console, as `https://tiles.example.org/{z}/{x}/{y}.png`; the console shows them below its own data and may fetch from that host alone. Empty: only the built-in map, and no host is requested for tiles of a map.',
  ),
  consoleTilesAttribution: setting(
    'CONSOLE_TILES_ATTRIBUTION',
    '',
    optional(nonEmpty),
    'Whom the console credits for the tiles of `CONSOLE_TILES`. Empty: the host.',
  ),
  consoleTerrain: setting(
    'CONSOLE_TERRAIN',
    '',
    optional(tileTemplate),
    'Tiles of heights, as `https://tiles.example.org/{z}/{x}/{y}.png`, of which the console shades the slopes; it may fetch from that host too, and from no other.',
  ),
  consoleTerrainEncoding: setting(
    'CONSOLE_TERRAIN_ENCODING',
    'terrarium',
    oneOf(['terrarium', 'mapbox']),
    'How the tiles of `CONSOLE_TERRAIN` hold heights in their colours: `terrarium` or `mapbox`.',
  ),
  consoleTerrainAttribution: setting(
    'CONSOLE_TERRAIN_ATTRIBUTION',
    '',
    optional(nonEmpty),
    'Whom the console credits for the tiles of `CONSOLE_TERRAIN`. Empty: the host.',
  ),
} as const;
