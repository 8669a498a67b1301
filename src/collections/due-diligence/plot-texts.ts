import type { Collection } from '../collection.ts';
import { convergenceProperties } from '../fetch/convergence.ts';
import { csvRow } from './csv-row.ts';
import { RULES } from './finding.ts';
import { isExported, type FittedPlot } from './fit-plot.ts';
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
