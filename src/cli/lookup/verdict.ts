import { counted } from '../../counted.ts';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { promisify } from 'node:util';
import type { Verdict } from '../../plots/trees.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { openServiceCatalogue } from '../../service/datasets/catalogue.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { openPlotStatistics } from '../../service/plots/statistics.ts';
import { verdictsOfFile } from '../../service/plots/verdicts-of-file.ts';
import { openWorld } from '../../service/world/world.ts';
import { UsageError, type Command } from '../command.ts';
import { commandLog } from '../parts/command-log.ts';
import { textTable } from '../parts/text-table.ts';
import { LOCATION_OPTIONS, locationInput, readLocationOptions } from './location-input.ts';

export const verdict: Command = {
  args: [{ name: 'FILE', doc: 'Plots in any format that normalize reads; - reads standard input.', required: true }],
  options: {
    commodity: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      doc: 'Commodity of plots that name none: it chooses the decision tree.',
    },
    until: { type: 'string', value: 'DAY', doc: 'Day of the verdict, as 2026-12-31; default today.' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      doc: 'The plots with all votes, one GeoJSON feature a line; - is standard output.',
    },
    ...LOCATION_OPTIONS,
  },
  examples: ['npx firstmile verdict farms.geojson -c cocoa', 'npx firstmile verdict farms.xlsx -c soy -o farms.ndjson'],
  async run(context) {
    const { config, out, err, signal, args, options } = context;
    const until = String(options['until'] ?? new Date().toISOString().slice(0, 10));
    if (!/^\d{4}-\d{2}-\d{2}$/.test(until) || Number.isNaN(Date.parse(until)))
      throw new UsageError(`--until: wanted a day such as 2026-12-31, got ${until}`);
    await using input = await locationInput(args[0] ?? '', signal);
    const log = commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err);
    const { datasets } = await openServiceCatalogue(config, log);
    const measurer = openPlotStatistics(datasets, config);
    const data = await openWorld(config, log);
    const path = options['output'] as string | undefined;
    const target = path === undefined ? null : path === '-' ? out : createWriteStream(path);
    try {
      const service = createLocationService(data, config, FEATURE_BYTES.asTask);
      const reading = readLocationOptions(context, service.countryCode);
      await using opened = await service.open(input.path, { ...reading, locationType: reading.locationType ?? 'plot' });
      await opened.inspect(signal);
      const rows: string[][] = [];
      const counts = new Map<string, number>();
      for await (const feature of verdictsOfFile(opened.normalize(signal).features, measurer, until, signal)) {
        if (target !== null && !target.write(`${JSON.stringify(feature)}\n`)) await once(target, 'drain', { signal });
        const { name, location_number: number, eudr_status: status } = feature.properties;
        const found = feature.properties['convergence'] as {
          readonly verdict: Verdict;
          readonly comment: string;
        } | null;
        const word = found?.verdict ?? 'unknown';
        counts.set(word, (counts.get(word) ?? 0) + 1);
        if (rows.length < MOST_SHOWN)
          rows.push([String(feature.id ?? name ?? number), String(status), word, whyOf(found?.comment ?? '')]);
      }
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const words = [...counts].map(([word, count]) => `${count} ${word.replaceAll('_', ' ')}`).join(', ');
      const more = total > rows.length ? `${total - rows.length} more plots are in --output.\n` : '';
      const report = target === out ? err : out;
      report.write(
        `${textTable(['plot', 'one map', 'all layers', 'why'], rows)}\n${more}${counted(total, 'plot')}: ${words}.\n`,
      );
      return counts.get('low') === total ? 0 : 1;
    } finally {
      if (target !== null && target !== out) await promisify(target.end.bind(target) as (done: () => void) => void)();
      await measurer.close();
      await data.close();
    }
  },
};

/** The comment without what the other columns say, short enough for a line. */
function whyOf(comment: string): string {
  const why = comment.replace(/^Convergence of evidence: [a-z ]+, /, '');
  return why.length > MOST_CHARACTERS ? `${why.slice(0, MOST_CHARACTERS)}…` : why;
}

const MOST_CHARACTERS = 120;
/** Plots in the table; all of them are in `--output`. */
const MOST_SHOWN = 100;
