import { open } from 'node:fs/promises';
import type { FacilityOptions } from '../../facilities/options.ts';
import { aheadWith } from '../../service/auto-data/auto-data.ts';
import type { World } from '../../service/world/world.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { validatedColumns } from '../../service/locations/validated-columns.ts';
import { validateLocations } from '../../service/locations/validate-locations.ts';
import type { CommandContext } from '../command.ts';
import { locationInput, readLocationOptions } from './location-input.ts';
import { locationOutput, writeLocations } from './location-output.ts';
import { report } from './normalize.ts';
import { createProgressBar, NO_PROGRESS_BAR, withProgress } from '../parts/progress-bar.ts';
import type { FacilitySummary } from '../../facilities/summarise.ts';
import type { ConfidenceBasis, ConfidenceLevel } from '../../facilities/thresholds.ts';
import { textTable } from '../parts/text-table.ts';

/** Whether a file begins like JSON, which is rated as facilities unless its type is given. */
export async function looksLikeJson(path: string): Promise<boolean> {
  if (path === '-') return true;
  await using file = await open(path).catch(() => null);
  if (file === null) return true;
  const head = Buffer.alloc(64);
  const { bytesRead } = await file.read(head, 0, 64, 0);
  return bytesRead === 0 || /^(\ufeff)?\s*[{[]/.test(head.toString('utf8', 0, bytesRead).replaceAll('\u001e', ''));
}

/** Validates a file of any format: facilities and plots, each by its own checks. Returns the exit code. */
export async function validateAny(context: CommandContext, data: World, facility: FacilityOptions): Promise<number> {
  const { config, err, signal, args, options } = context;
  const output = locationOutput((options['output'] as string | undefined) ?? null);
  await using input = await locationInput(args[0] ?? '', signal);
  const service = createLocationService(data, config, FEATURE_BYTES.asTask);
  await using opened = await service.open(input.path, readLocationOptions(context, service.countryCode));
  const total = await opened.inspect(signal);
  const barOf = (unit: string) => (options['quiet'] === true ? NO_PROGRESS_BAR : createProgressBar(err, unit));
  const [bar, fetching] = [barOf('locations'), barOf('cells of map data')];
  const onProgress = (done: number, cells: number): void => fetching.update(done, cells);
  const ahead = aheadWith(data.fetchAhead, { onProgress });
  const run = validateLocations(
    opened,
    { ...data, ...ahead },
    { facility, repair: options['repair'] === true },
    config,
    signal,
  );
  const counted = withProgress(run.features, bar, total);
  try {
    await writeLocations({ features: counted, aggregate: run.aggregate, columns: validatedColumns }, output, context);
  } finally {
    bar.finish();
  }
  const summary = run.aggregate();
  const { plots, facilities, processing } = summary;
  if (options['quiet'] !== true) {
    err.write(report(summary, output.path));
    err.write(
      `Plots: ${plots.valid} of ${plots.total} valid, ${plots.repaired} repaired. Rows: ${inWords(processing)}.\n`,
    );
    if (facilities.total_facilities > 0) err.write(`${facilityReport(facilities).join('\n')}\n`);
  }
  const isClean =
    plots.valid === plots.total && facilities.confidence_level.invalid === 0 && processing.processed === summary.total;
  return isClean ? 0 : 1;
}

/** `2 high, 1 low`: counts that are not 0. */
function inWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  return words.length === 0 ? 'none' : words.join(', ');
}

/**
 * What a summary says of its facilities, for people: levels apart by how much of each score was looked at, and indicators
 * apart by whether they were absent or not assessed, so that nothing unknown reads as bad.
 */
export function facilityReport(summary: FacilitySummary): readonly string[] {
  return [
    textTable(
      ['facilities', String(summary.total_facilities), ...Object.values(BASES)],
      levelRows(summary),
      [1, 2, 3, 4],
    ),
    textTable(['indicator', 'present', 'absent', 'not assessed'], indicatorRows(summary), [1, 2, 3]),
    meanInWords(summary),
  ];
}

const BASES = {
  verified: 'verified',
  partly_verified: 'partly verified',
  unverified: 'unverified',
} as const satisfies Record<ConfidenceBasis, string>;

function levelRows({ confidence_level: levels, confidence_level_by_basis: byBasis }: FacilitySummary): string[][] {
  return (Object.keys(levels) as ConfidenceLevel[]).map((level) => [
    `level ${level}`,
    ...[levels, byBasis.verified, byBasis.partly_verified, byBasis.unverified].map((counts) => String(counts[level])),
  ]);
}

function indicatorRows({ indicator_status: statuses }: FacilitySummary): string[][] {
  return Object.entries(statuses).map(([name, { present, absent, unknown }]) => [
    name.replaceAll('_', ' '),
    ...[present, absent, unknown].map(String),
  ]);
}

function meanInWords(summary: FacilitySummary): string {
  const { confidence_score: score, confidence_range: range, evidence_coverage: coverage } = summary;
  if (range === null) return 'No facility was scored.';
  const allowed =
    range.lowest === range.highest
      ? ''
      : `; what was not assessed allows ${range.lowest.toFixed(2)} to ${range.highest.toFixed(2)}`;
  return `Mean confidence score ${score.toFixed(2)}, with ${Math.round(coverage * 100)} % of what is scored assessed${allowed}.`;
}
