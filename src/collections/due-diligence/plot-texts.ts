import type { Collection } from '../collection.ts';
import type { DatasetUse } from '../plot-record.ts';
import { GROUP_WORDS } from '../plot-group.ts';
import { changeText } from '../../plots/verdict-text.ts';
import { convergenceProperties } from '../fetch/convergence.ts';
import { rounded } from '../fetch/rounded.ts';
import { reviewFields } from '../fetch/view.ts';
import { csvRow } from './csv-row.ts';
import { RULES } from './finding.ts';
import { isExported, type FittedPlot } from './fit-plot.ts';
import { groupOf } from './group-of.ts';
import { OFFICIAL_ERRORS } from './official-errors.ts';

export const FINDINGS_HEAD = csvRow([
  'collection_id',
  'number',
  'row',
  'feature_id',
  'rule_id',
  'severity',
  'official_error',
  'fixed',
  'detail',
]);

export const PLOTS_HEAD = csvRow([
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
]);

export const LEFT_OUT_HEAD = csvRow(['collection_id', 'number', 'row', 'feature_id', 'name', 'producer', 'reasons']);

/** A plot that is in no statement or declaration as a line of `left-out.csv`, with what keeps it out; nothing for any other location. */
export function leftOutRow({ id }: Pick<Collection, 'id'>, plot: FittedPlot): string {
  const { record, facts, findings } = plot;
  if (record.locationType !== 'plot' || isExported(plot)) return '';
  const reasons = findings.filter(
    ({ rule, fixed }) => !fixed && (rule === 'excluded' || RULES[rule].severity === 'error'),
  );
  return csvRow([
    id,
    record.number,
    facts.sourceRow,
    facts.id,
    facts.name,
    facts.producerName,
    reasons.map(({ rule, detail }) => `${rule}: ${detail}`).join(' | '),
  ]);
}

/** The findings of a plot as lines of `findings.csv`. */
export function findingRows({ id }: Pick<Collection, 'id'>, { record, facts, findings }: FittedPlot): string {
  return findings
    .map(({ rule, detail, fixed }) =>
      csvRow([
        id,
        record.number,
        facts.sourceRow,
        facts.id,
        rule,
        RULES[rule].severity,
        RULES[rule].official,
        fixed,
        detail,
      ]),
    )
    .join('');
}

/** A plot as a line of `plots.csv`; `file` is the GeoJSON file it is in, null when it is in none. */
export function plotRow(
  collection: Pick<Collection, 'id' | 'completedAt'>,
  plot: FittedPlot,
  file: string | null,
): string {
  const { record, facts, members, areaHa, exportedHa, deforestation, verdict, convergence } = plot;
  const review = reviewFields(record, collection);
  const group = groupOf(plot);
  return csvRow([
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
  ]);
}

function nameOf({ dataset, version, synthetic }: DatasetUse): string {
  return `${dataset} ${version}${synthetic ? ' (synthetic)' : ''}`;
}

/** What is worth reporting about a plot in `checks.json`; null when every rule was met but for decimals. */
export function checkEntry(
  { id }: Pick<Collection, 'id'>,
  { record, facts, members, findings, place, convergence }: FittedPlot,
): string | null {
  if (findings.every(({ rule }) => rule === 'snapped')) return null;
  return JSON.stringify({
    collection: id,
    number: record.number,
    row: facts.sourceRow,
    id: facts.id,
    in_geojson: members.length > 0,
    ...(place === null ? {} : { declared_by: place }),
    convergence: convergenceProperties(convergence),
    values: {
      ProducerName: { value: facts.producerName, from: facts.from.ProducerName },
      ProducerCountry: { value: facts.country, from: facts.from.ProducerCountry },
      ProductionPlace: { value: facts.productionPlace, from: facts.from.ProductionPlace },
      Area: { value: facts.areaHa, from: facts.from.Area },
    },
    findings: findings.map(({ rule, detail, fixed }) => {
      const { severity, official, code } = RULES[rule];
      return {
        rule,
        severity,
        official_error: official,
        official_title: official === null ? null : OFFICIAL_ERRORS[official],
        official_code: code,
        fixed,
        detail,
      };
    }),
  });
}
