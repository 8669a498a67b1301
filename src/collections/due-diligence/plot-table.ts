import { isRecord } from '../../is-record.ts';
import { changeText } from '../../plots/verdict-text.ts';
import { textLines } from '../../text-lines.ts';
import type { Collection } from '../collection.ts';
import { rounded } from '../fetch/rounded.ts';
import { reviewFields } from '../fetch/view.ts';
import { GROUP_WORDS } from '../plot-group.ts';
import type { DatasetUse } from '../plot-record.ts';
import { csvRow } from './csv-row.ts';
import type { FittedPlot } from './fit-plot.ts';
import { groupOf } from './group-of.ts';
import type { Spool } from './spool.ts';

const PLOTS_HEAD = [
  'collection_id',
  'number',
  'row',
  'feature_id',
  'name',
  'producer',
  'country',
  'commodity',
  'geojson',
  'features',
  'area_ha',
  'geojson_area_ha',
  'confidence',
  'baseline_forest_ha',
  'noncompliance_area_ha',
  'loss_status',
  'eudr_status',
  'risk_level',
  'datasets',
  'producer_from',
  'country_from',
  'place',
  'place_from',
  'area_from',
  'country_tier',
  'declared_by',
  'crop_group',
  'convergence_verdict',
  'convergence_rules',
  'would_change',
  'plot_group',
  'plot_group_words',
  'review_state',
  'review_note',
  'review_by',
  'review_at',
  'review_of_earlier_run',
];

type Cells = Parameters<typeof csvRow>[0];

/** What `plots.csv` has of a plot: its own columns, and those of the file that it came from. */
type PlotLine = readonly [cells: Cells, source: Readonly<Record<string, unknown>>];

/** Characters, about. */
const WRITTEN_AT_ONCE = 64_000;

/** Columns of files in `plots.csv`, the first that come up. */
const MOST_OWN_COLUMNS = 1_000;

/**
 * `plots.csv` of plots that come one by one: which columns their files had is known with the last. Those come after all others, with
 * `source.` before their names, so that none is taken for a column of the results.
 */
export function createPlotTable(spool: Spool) {
  const names = new Set<string>();
  return {
    /** `file` is the GeoJSON file that the plot is in, null when it is in none. */
    async add(
      collection: Pick<Collection, 'id' | 'completedAt'>,
      plot: FittedPlot,
      file: string | null,
    ): Promise<void> {
      const { source } = plot.record.feature.properties;
      const own = isRecord(source) ? source : {};
      for (const name of Object.keys(own)) if (names.size < MOST_OWN_COLUMNS) names.add(name);
      await spool.write(`${JSON.stringify([plotCells(collection, plot, file), own] satisfies PlotLine)}\n`);
    },
    async *text(): AsyncGenerator<Uint8Array, void> {
      const all = [...names];
      let text = csvRow([...PLOTS_HEAD, ...all.map((name) => `source.${name}`)]);
      for await (const line of textLines(spool.read())) {
        const [cells, own] = JSON.parse(line) as PlotLine;
        text += csvRow([...cells, ...all.map((name) => ownCell(own, name))]);
        if (text.length < WRITTEN_AT_ONCE) continue;
        yield Buffer.from(text);
        text = '';
      }
      yield Buffer.from(text);
    },
  };
}

function ownCell(own: PlotLine[1], name: string): Cells[number] {
  const value = Object.hasOwn(own, name) ? own[name] : null;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cells[number]);
}

function plotCells(collection: Pick<Collection, 'id' | 'completedAt'>, plot: FittedPlot, file: string | null): Cells {
  const { record, facts, members, areaHa, exportedHa, deforestation, verdict, convergence } = plot;
  const review = reviewFields(record, collection);
  const group = groupOf(plot);
  return [
    collection.id,
    record.number,
    facts.sourceRow,
    facts.id,
    facts.name,
    facts.producerName,
    facts.country,
    facts.commodity,
    file,
    members.length,
    rounded(areaHa),
    rounded(exportedHa),
    record.confidence,
    deforestation?.baseline_forest_ha,
    deforestation?.noncompliance_area_ha,
    deforestation?.status ?? 'not measured',
    verdict?.eudr_status,
    verdict?.risk_level,
    [...new Set(deforestation?.datasets.map(nameOf))].join('; '),
    facts.from.ProducerName,
    facts.from.ProducerCountry,
    facts.productionPlace,
    facts.from.ProductionPlace,
    facts.from.Area,
    plot.tier?.tier,
    plot.place?.kind,
    convergence?.cropGroup,
    convergence?.verdict,
    convergence?.rules.join(' '),
    convergence?.wouldChange.map(changeText).join('; '),
    group,
    GROUP_WORDS[group],
    review.review_state,
    review.review_note,
    review.review_by,
    review.review_at,
    review.review_of_earlier_run,
  ];
}

function nameOf({ dataset, version, synthetic }: DatasetUse): string {
  return `${dataset} ${version}${synthetic ? ' (synthetic)' : ''}`;
}
