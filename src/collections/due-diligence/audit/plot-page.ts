import { RULES, type Finding } from '../finding.ts';
import { isExported, type FittedPlot } from '../fit-plot.ts';
import type { Measured } from '../../plot-record.ts';
import { yearsWithin, type MonitoringPeriod } from '../../statistics/monitoring-period.ts';
import { factRows, label, type Sheet } from './page-frame.ts';
import { AMBER, CONTENT_WIDTH, FAINT, GREEN, HAIRLINE, INK, PAGE, RED, SOFT } from './palette.ts';
import { drawPlotMap } from './plot-map.ts';
import { drawEvidence } from './evidence-rows.ts';
import type { NeighbourIndex } from './neighbours.ts';
import { round } from '../../../geo/round.ts';

/** Of a page with and without votes. */
const MAP_HEIGHT = { votes: 216, plain: 292 } as const;
const GAP = 22;
const COLUMN = (CONTENT_WIDTH - GAP) / 2;
const SIZE = 8;

/** The page of a plot: where it is, what was measured with which dataset, and what its rules had to say. */
export function drawPlotPage(
  sheet: Sheet,
  plot: FittedPlot,
  key: string,
  neighbours: NeighbourIndex,
  period: MonitoringPeriod,
): void {
  const { doc, type } = sheet;
  const { facts, record, convergence } = plot;
  const state = stateOf(plot);
  type.line(titleOf(plot), PAGE.left, PAGE.top + 14, { size: 15, weight: 600, width: CONTENT_WIDTH - 130 });
  drawState(sheet, state);
  const subtitle = [`Location ${record.number}`, facts.producerName, facts.country]
    .filter((part) => part !== null)
    .join('  ·  ');
  type.line(subtitle, PAGE.left, PAGE.top + 30, { size: 9, color: SOFT, width: CONTENT_WIDTH });
  const height = convergence === null ? MAP_HEIGHT.plain : MAP_HEIGHT.votes;
  const frame = { x: PAGE.left, y: PAGE.top + 44, width: CONTENT_WIDTH, height };
  drawPlotMap(plot, key, frame, { doc, type, neighbours });
  const top = frame.y + height + 42;
  const right = PAGE.left + COLUMN + GAP;
  const left = factRows(sheet, placeFacts(plot), {
    x: PAGE.left,
    y: label(sheet, 'Plot', PAGE.left, top),
    width: COLUMN,
    names: 84,
    size: SIZE,
    maxLines: 5,
  });
  const rows = measuredFacts(plot, period);
  const measured = factRows(sheet, rows, {
    x: right,
    y: label(sheet, 'Measured', right, top),
    width: COLUMN,
    names: 84,
    size: SIZE,
    maxLines: 7,
  });
  const y = Math.max(left, measured) + 8;
  doc
    .moveTo(PAGE.left, y - 4)
    .lineTo(PAGE.right, y - 4)
    .lineWidth(0.5)
    .stroke(HAIRLINE);
  const rest = convergence === null ? y : drawEvidence(sheet, convergence, y + 10) + 6;
  drawFindings(sheet, plot, rest + 10);
}

export type PlotState = { readonly text: string; readonly color: string };

/** What became of a plot, in a few words. */
export function stateOf(plot: FittedPlot): PlotState {
  const { findings } = plot;
  if (!isExported(plot)) return { text: 'Left out', color: RED };
  if (findings.some(({ rule }) => rule === 'loss-in-baseline-forest'))
    return { text: 'Loss: look at it', color: AMBER };
  return { text: plot.place === null ? 'In the statement' : 'In the declaration', color: GREEN };
}

export function titleOf({ facts, record }: FittedPlot): string {
  const id = facts.id === null ? `Plot ${record.number}` : `Plot ${facts.id}`;
  return facts.name === null || facts.name === String(facts.id) ? id : `${id}  ·  ${facts.name}`;
}

function drawState({ doc, type }: Sheet, { text, color }: PlotState): void {
  const width = type.width(text, { size: 8.5, weight: 600 }) + 16;
  doc
    .roundedRect(PAGE.right - width, PAGE.top + 2, width, 17, 8.5)
    .fillColor(color)
    .fillOpacity(0.1)
    .fill();
  doc.fillOpacity(1);
  type.line(text, PAGE.right - width / 2, PAGE.top + 13.6, { size: 8.5, weight: 600, color, align: 'center' });
}

function placeFacts({ facts, record, areaHa, members, pointAreaHa, tier, place }: FittedPlot): [string, string][] {
  const geometry = record.feature.geometry as { type?: unknown } | null;
  const kind = typeof geometry?.type === 'string' ? geometry.type : 'none';
  const exported =
    members.length === 0
      ? 'nothing'
      : members
          .map(({ type }) => type)
          .slice(0, 3)
          .join(', ');
  return [
    ['Producer', withOrigin(facts.producerName, facts.from.ProducerName)],
    ['Place', withOrigin(facts.productionPlace, facts.from.ProductionPlace)],
    ['Country', withOrigin(facts.country, facts.from.ProducerCountry)],
    ...(tier === null ? [] : [['Country tier', tierText(tier)] as [string, string]]),
    ['Commodity', [facts.commodity ?? 'not known', facts.scientificName].filter((part) => part !== null).join(', ')],
    [
      'Area',
      areaHa === null
        ? 'not known'
        : `${hectares(areaHa)}${pointAreaHa === null ? ', measured' : facts.areaHa === null ? ', assumed for a point' : ', stated for a point'}`,
    ],
    [
      'Geometry',
      `${kind} in the file; exported: ${exported}${members.length > 3 ? ` and ${members.length - 3} more` : ''}`,
    ],
    ...(place === null || place.kind === 'geometry' ? [] : [['Declared by', placeText(place)] as [string, string]]),
    ['Confidence', record.confidence ?? 'not validated'],
    ...(facts.checks.length === 0 ? [] : [['Checks', checksText(facts)] as [string, string]]),
    ...(facts.sourceRow === null ? [] : [['Row of the file', String(facts.sourceRow)] as [string, string]]),
  ];
}

/** What stands in a declaration in place of the geometry. */
function placeText(place: Exclude<NonNullable<FittedPlot['place']>, { readonly kind: 'geometry' }>): string {
  if (place.kind === 'cadastral')
    return `cadastral identifiers ${place.identifiers.slice(0, 5).join(', ')}${place.identifiers.length > 5 ? ' ...' : ''}`;
  const { producerStreet, producerPostalCode, producerCity } = place.address;
  return `postal address ${[producerStreet, `${producerPostalCode} ${producerCity}`].filter((part) => part !== null).join(', ')}`;
}

/** What the EU list says of the country, which says nothing of the plot. */
function tierText({ tier, treatedAs }: NonNullable<FittedPlot['tier']>): string {
  const word = tier.replaceAll('_', ' ');
  const treated = treatedAs === null || treatedAs === tier ? '' : `, to be treated as ${treatedAs}`;
  return `${word}${treated} (EU list of countries; no part of the verdict)`;
}

/** A value with what it comes from: a column of the file, or how it was found. */
function withOrigin(value: string | null, from: string | null): string {
  return value === null ? 'not known' : from === null ? value : `${value} (${from})`;
}

/** What became of each check, the gravest first; what a check found is among the warnings. */
const CHECK_STATUSES = { fail: 'failed', warn: 'in doubt', unknown: 'not known', pass: 'passed' } as const;

function checksText({ checks }: FittedPlot['facts']): string {
  return Object.entries(CHECK_STATUSES)
    .map(([status, word]) => [word, checks.filter((check) => check.status === status)] as const)
    .filter(([, some]) => some.length > 0)
    .map(([word, some]) => `${word}: ${some.map(({ check }) => check.replaceAll('_', ' ')).join(', ')}`)
    .join('; ');
}

function measuredFacts(
  { record: { statistics, problem }, deforestation }: FittedPlot,
  period: MonitoringPeriod,
): [string, string][] {
  if (statistics === null || deforestation === null) return [['Nothing', problem ?? 'Statistics were not requested.']];
  const loss = deforestation.noncompliance_area_ha;
  const years = Object.entries(deforestation.loss_in_baseline_ha_by_year ?? {}).map(
    ([year, ha]) => `${year}: ${hectares(ha)}`,
  );
  return [
    ['Forest 2020', textOf(statistics.baseline, ({ forestHa }) => hectares(forestHa))],
    [
      'Loss in it',
      loss === null
        ? `unknown. ${deforestation.reason ?? ''}`
        : `${loss} ha${years.length === 0 ? '' : ` (${years.join(', ')})`}${deforestation.status === 'partial' ? `. ${deforestation.reason ?? ''}` : ''}`,
    ],
    ...statistics.losses.slice(0, 2).map((one): [string, string] => [
      'Loss by year',
      textOf(one, ({ lossHa, years }) => {
        const all = Object.entries(lossHa).map(([year, ha]) => `${year}: ${hectares(ha)}`);
        const missing = yearsWithoutData(period, years);
        return `${all.length === 0 ? 'none' : all.join(', ')} (known from ${years[0]} to ${years[1]}${missing === '' ? '' : `; no data for ${missing}`})`;
      }),
    ]),
    [
      'Biomass',
      textOf(statistics.biomass, ({ tonnes }) =>
        Object.entries(tonnes)
          .map(([year, t]) => `${year}: ${round(t, 1)} t`)
          .join(', '),
      ),
    ],
    [
      'Diversity',
      textOf(
        statistics.diversity,
        ({ score, basis, year }) => `${score} by ${basis}${year === null ? '' : ` of ${year}`}`,
      ),
    ],
  ];
}

/** The years of the period that a dataset does not cover, `2017 to 2020 and 2025`; empty: it covers all. */
function yearsWithoutData(period: MonitoringPeriod, [first, last]: readonly [number, number]): string {
  return [yearsWithin(period, [-Infinity, first - 1]), yearsWithin(period, [last + 1, Infinity])]
    .flatMap((years) => (years === null ? [] : [years]))
    .map(({ from, to }) => (from === to ? String(from) : `${from} to ${to}`))
    .join(' and ');
}

function textOf<T>(measured: Measured<T>, text: (found: T) => string): string {
  if (measured.status === 'unknown') return `unknown: ${measured.reason}`;
  const share = measured.coveredShare >= 0.999 ? '' : `, ${(measured.coveredShare * 100).toFixed(1)} % covered`;
  return `${text(measured)} · ${measured.dataset} ${measured.version}${measured.synthetic ? ', synthetic' : ''}${share}`;
}

/** One line of the list: a dot of its gravity, a mark, the sentence. */
interface Remark {
  readonly color: string;
  readonly mark: string;
  readonly text: string;
}

function drawFindings(sheet: Sheet, { findings, facts }: FittedPlot, top: number): void {
  const { doc, type } = sheet;
  const remarks: Remark[] = [
    ...findings.map(remarkOf),
    ...facts.warnings.map(({ code, message }) => ({ color: FAINT, mark: code.replaceAll('_', ' '), text: message })),
  ];
  let y = label(sheet, 'Rules, changes and warnings', PAGE.left, top) + 2;
  if (remarks.length === 0) {
    type.line('Every rule was met as the plot stood; nothing was changed.', PAGE.left, y, { size: SIZE, color: SOFT });
    return;
  }
  for (const [i, { color, mark, text }] of remarks.entries()) {
    const height = type.wrap(text, CONTENT_WIDTH - 158, { size: SIZE }).slice(0, 3).length * SIZE * 1.42 + 3;
    if (y + height > PAGE.bottom - (i === remarks.length - 1 ? 0 : 12)) {
      type.line(`and ${remarks.length - i} more: see findings.csv and the collection itself`, PAGE.left + 10, y, {
        size: SIZE,
        color: SOFT,
      });
      return;
    }
    doc.circle(PAGE.left + 3, y - 2.6, 2.2).fill(color);
    type.line(mark, PAGE.left + 10, y, { size: SIZE, color: SOFT, width: 140 });
    type.paragraph(text, PAGE.left + 158, y, CONTENT_WIDTH - 158, { size: SIZE, color: INK, maxLines: 3 });
    y += height;
  }
}

function remarkOf({ rule, detail, fixed }: Finding): Remark {
  const { severity, official } = RULES[rule];
  const color = fixed ? GREEN : severity === 'error' ? RED : severity === 'warning' ? AMBER : FAINT;
  const number = official === null ? '' : ` (error ${official})`;
  return { color, mark: `${rule.replaceAll('-', ' ')}${number}`, text: fixed ? `Put right: ${detail}` : detail };
}

function hectares(value: number): string {
  return `${round(value, 4).toLocaleString('en', { maximumFractionDigits: 4 })} ha`;
}
