import { stat } from 'node:fs/promises';
import { isPackId } from '../../service/datasets/pack-id.ts';
import { type CommandContext, type CommandOption, UsageError } from '../command.ts';
import { createProgressBar, NO_PROGRESS_BAR, type ProgressBar } from '../parts/progress-bar.ts';
import { mappedInfo } from '../../service/datasets/catalogue.ts';
import type { ImportedPack } from '../../service/datasets/import-osm.ts';
import { describeMapped } from './dataset-table.ts';
import { textTable } from '../parts/text-table.ts';

/** What every import may be made not to say. */
export const QUIET_OPTION = {
  type: 'boolean',
  short: 'q',
  doc: 'No progress bar and no summary.',
} as const satisfies CommandOption;

/** The FILE of an import; throws when there is none. */
export async function readFileArgument({ args }: CommandContext): Promise<string> {
  const path = args[0] ?? '';
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === true) return path;
  if (found?.isDirectory() === true) throw new UsageError(`FILE: wanted a file, got the folder ${path}`);
  throw new UsageError(`FILE: there is no file ${path}`);
}

/** The value of `--id`. `own` is what the pack is called without it, null when nothing can be made of `from`. */
export function readPackId({ options }: CommandContext, own: string | null, from: string): string {
  const given = options['id'] as string | undefined;
  const id = given ?? own;
  if (id !== null && isPackId(id)) return id;
  throw new UsageError(
    `--id: wanted up to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit, got "${given ?? from}"`,
  );
}

/** The value of `--date`, or null. */
export function readDate(context: CommandContext): string | null {
  const date = readText(context, 'date');
  if (date === null || /^\d{4}(-\d\d(-\d\d)?)?$/.test(date)) return date;
  throw new UsageError(`--date: wanted a day, month or year such as 2026-11-21, got "${date}"`);
}

/** The trimmed value of an option; null when it is not given or blank. */
export function readText({ options }: CommandContext, name: string): string | null {
  return (options[name] as string | undefined)?.trim() || null;
}

/**
 * Runs an import under progress bars, one for each of `units`, and reports what it gave and how many seconds it took; with
 * `--quiet` it says nothing. Gives the exit code.
 */
export async function runImport<T>(
  { err, options }: CommandContext,
  units: readonly string[],
  work: (...bars: readonly ProgressBar[]) => Promise<T>,
  report: (imported: T, seconds: number) => string,
): Promise<number> {
  const isQuiet = options['quiet'] === true;
  const bars = units.map((unit) => (isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, unit)));
  const begun = performance.now();
  let imported: T;
  try {
    imported = await work(...bars);
  } finally {
    for (const bar of bars) bar.finish();
  }
  if (!isQuiet) err.write(report(imported, (performance.now() - begun) / 1000));
  return 0;
}

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
