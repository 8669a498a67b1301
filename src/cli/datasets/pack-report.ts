import { mappedInfo } from '../../service/datasets/catalogue.ts';
import type { ImportedPack } from '../../service/datasets/import-osm.ts';
import { describeMapped } from './dataset-table.ts';
import { textTable } from '../parts/text-table.ts';

type Pack = ImportedPack['pack'];
type Entry = Pack['manifest']['themes'][number];

/** Share of the ground below which a theme is warned of. */
const LEAST_SHARE = 0.5;
/** Themes that no check uses, so that nothing depends on them. */
const UNASKED: ReadonlySet<string> = new Set(['settlements', 'parcels']);

/** The themes of a pack that was imported, and in words where it will not say that there is nothing. */
export function packReport({ manifest: { themes } }: Pack): string {
  const rows = themes.map(({ theme, features, bytes, mapped = null }) => {
    const info = UNASKED.has(theme) ? null : mappedInfo(mapped);
    return [theme, features.toLocaleString('en'), (bytes / 1e6).toFixed(1), info === null ? '' : describeMapped(info)];
  });
  const table = textTable(['theme', 'features', 'MB', 'ground'], rows, [1, 2]);
  return [table, ...themes.flatMap((entry) => warningOf(entry) ?? [])].join('');
}

function warningOf({ theme, features, mapped }: Entry): string | null {
  if (UNASKED.has(theme) || mapped === undefined || mapped === null || mapped === 'whole') return null;
  if (features === 0)
    return `Warning: ${theme} came out empty. The pack will never say that there are none; other sources are queried.\n`;
  if (mapped.mapped >= mapped.cells * LEAST_SHARE) return null;
  return `Warning: ${theme}: ${describeMapped(mappedInfo(mapped))} of the ground, by what stands next to streets and in settlements. Elsewhere nothing found is unknown, not absent.\n`;
}
