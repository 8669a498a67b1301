import { counted } from '../../../counted.ts';
import { round } from '../../../geo/round.ts';
import { RULES, type Finding } from '../finding.ts';
import { isExported, type FittedPlot } from '../fit-plot.ts';
import { GROUP_WORDS } from '../../plot-group.ts';
import type { Measured } from '../../plot-record.ts';
import type { Review } from '../../review.ts';
import type { Place, Room } from '../page-choice.ts';
import { groupOf } from '../group-of.ts';
import { yearsWithin, type MonitoringPeriod } from '../../statistics/monitoring-period.ts';
import { drawEvidence } from './evidence-rows.ts';
import type { MapPixels } from './map-pixels.ts';
import type { Frame } from './map-scale.ts';
import { GROUP_LOOKS, nameOf, rowText } from './list-row.ts';
import type { NeighbourIndex } from './neighbours.ts';
import { factRows, type Sheet } from './page-frame.ts';
import { AMBER, CONTENT_WIDTH, FAINT, GREEN, INK, PAGE, RED, SOFT } from './palette.ts';
import { drawPlotMap } from './plot-map.ts';
import { hectaresText, tonnesText } from './units.ts';

/** How the plots of a page are set: the map, columns of facts next to it, and sizes in points. */
const LAYOUTS = {
  2: { map: 208, height: 168, columns: 2, size: 7.2 },
  3: { map: 176, height: 118, columns: 2, size: 7 },
  4: { map: 150, height: 91, columns: 2, size: 6.8 },
} as const satisfies Record<Room, unknown>;
/** A third of a page that holds votes too. */
const THIRD_WITH_VOTES = { map: 150, height: 84, columns: 2, size: 6.8 } as const;
/** A half page without votes has room for a larger map. */
const WITHOUT_VOTES = { map: 236, height: 224, columns: 2, size: 7.2 } as const;
const GAP = 14;
const NAMES = 55;
/** From the top edge of a plot to its map, and from the foot of a map to what is below its captions. */
const HEAD = 30;
const CAPTION = 34;

/** What a plot is drawn with, next to itself. */
interface PlotDrawing {
  /** Of its ground among the neighbours. */
  readonly key: string;
  /** The name of its place in the document. */
  readonly anchor: string;
  readonly place: Place;
  readonly room: Room;
  readonly neighbours: NeighbourIndex;
  readonly period: MonitoringPeriod;
  readonly pixels?: MapPixels | null;
}

/** Where the map of a plot stands on its page. */
export function mapFrame({ convergence }: FittedPlot, place: Place, room: Room): Frame {
  const { map, height } = layoutOf(convergence, room);
  return { x: PAGE.left, y: topOf(place) + HEAD, width: map, height };
}

function layoutOf(convergence: FittedPlot['convergence'], room: Room) {
  if (convergence === null) return room === 2 ? WITHOUT_VOTES : LAYOUTS[room];
  return room === 3 ? THIRD_WITH_VOTES : LAYOUTS[room];
}

function topOf({ top }: Place): number {
  return PAGE.top + top * (PAGE.bottom - PAGE.top) - 12;
}

/** A plot on its part of the page: where it is, what was measured with which dataset, and what its rules had to say. */
export function drawPlot(
  sheet: Sheet,
  plot: FittedPlot,
  { key, anchor, place, room, neighbours, period, pixels }: PlotDrawing,
): void {
  const { doc, type } = sheet;
  const { facts, convergence } = plot;
  const top = topOf(place);
  const bottom = top + place.height * (PAGE.bottom - PAGE.top) - 10;
  doc.addDestination(anchor, top);
  if (place.top > 0)
    doc
      .moveTo(PAGE.left, top - 4)
      .lineTo(PAGE.right, top - 4)
      .lineWidth(0.7)
      .stroke(FAINT);
  const title = `${rowText(plot)}  ·  ${nameOf(plot)}`;
  const state = stateOf(plot);
  const stateWidth = type.width(state.text, STATE_STYLE) + 14;
  type.line(title, PAGE.left, top + 12, { size: 11.5, weight: 600, width: CONTENT_WIDTH - stateWidth - GAP });
  drawState(sheet, state, top, stateWidth);
  const id = facts.id === null || String(facts.id) === nameOf(plot) ? null : String(facts.id);
  const subtitle = [id, facts.producerName, facts.country].filter((part) => part !== null).join('  ·  ');
  type.line(subtitle, PAGE.left, top + 23, { size: 7.8, color: SOFT, width: CONTENT_WIDTH });
  const { columns, size } = layoutOf(convergence, room);
  const frame = mapFrame(plot, place, room);
  drawPlotMap(plot, key, frame, { doc, type, neighbours, ...(pixels === undefined ? {} : { pixels }) });
  const x = frame.x + frame.width + GAP;
  const width = (PAGE.right - x - GAP * (columns - 1)) / columns;
  const box = { y: top + HEAD + 7, width, names: NAMES, size, bottom: frame.y + frame.height + CAPTION };
  const isTight = room > 2 && convergence !== null;
  const left = factRows(sheet, placeFacts(plot), { ...box, x, maxLines: isTight ? 2 : room === 2 ? 5 : 4 });
  const figures = measuredFacts(plot, period);
  const measured = factRows(sheet, figures, {
    ...box,
    x: x + width + GAP,
    // One alone, why there are none, has the column to itself.
    maxLines: figures.length === 1 ? 9 : room === 2 ? 5 : 3,
  });
  let y = Math.max(left, measured, frame.y + frame.height + CAPTION) + 4;
  if (convergence !== null) y = drawEvidence(sheet, convergence, y, room) + 5;
  drawFindings(sheet, plot, y, bottom);
}

const STATE_STYLE = { size: 7.6, weight: 600 } as const;

type PlotState = { readonly text: string; readonly color: string };

/** What became of a plot, in a few words. */
function stateOf(plot: FittedPlot): PlotState {
  const group = groupOf(plot);
  const [words, { color }] = [GROUP_WORDS[group], GROUP_LOOKS[group]];
  if (!isExported(plot)) return { text: words, color };
  return { text: `${plot.place === null ? 'In the statement' : 'In the declaration'} · ${words}`, color };
}

function drawState({ doc, type }: Sheet, { text, color }: PlotState, top: number, width: number): void {
  doc
    .roundedRect(PAGE.right - width, top + 1.5, width, 15, 7.5)
    .fillColor(color)
    .fillOpacity(0.1)
    .fill();
  doc.fillOpacity(1);
  type.line(text, PAGE.right - width / 2, top + 11.6, { ...STATE_STYLE, color, align: 'center' });
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
    ['Commodity', [facts.commodity ?? 'not known', facts.scientificName].filter((part) => part !== null).join(', ')],
    [
      'Area',
      areaHa === null
        ? 'not known'
        : `${hectaresText(areaHa)}${pointAreaHa === null ? ', measured' : facts.areaHa === null ? ', assumed for a point' : ', stated for a point'}`,
    ],
    ['Confidence', record.confidence ?? 'not validated'],
    ...(tier === null ? [] : [['Country tier', tierText(tier)] as [string, string]]),
    [
      'Geometry',
      `${kind} in the file; exported: ${exported}${members.length > 3 ? ` and ${members.length - 3} more` : ''}`,
    ],
    ...(place === null || place.kind === 'geometry' ? [] : [['Declared by', placeText(place)] as [string, string]]),
    ...(facts.checks.length === 0 ? [] : [['Checks', checksText(facts)] as [string, string]]),
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
  if (statistics === null || deforestation === null)
    return [['Not measured', problem ?? 'Statistics were not requested.']];
  const loss = deforestation.noncompliance_area_ha;
  const years = Object.entries(deforestation.loss_in_baseline_ha_by_year ?? {}).map(
    ([year, ha]) => `${year}: ${hectaresText(ha)}`,
  );
  return [
    ['Forest 2020', textOf(statistics.baseline, ({ forestHa }) => hectaresText(forestHa))],
    [
      'Loss in it',
      loss === null
        ? `unknown. ${deforestation.reason ?? ''}`
        : `${hectaresText(loss)}${years.length === 0 ? '' : ` (${years.join(', ')})`}${deforestation.status === 'partial' ? `. ${deforestation.reason ?? ''}` : ''}`,
    ],
    ...statistics.losses.slice(0, 2).map((one): [string, string] => [
      'Loss by year',
      textOf(one, ({ lossHa, years }) => {
        const all = Object.entries(lossHa).map(([year, ha]) => `${year}: ${hectaresText(ha)}`);
        const missing = yearsWithoutData(period, years);
        return `${all.length === 0 ? 'none' : all.join(', ')} (known from ${years[0]} to ${years[1]}${missing === '' ? '' : `; no data for ${missing}`})`;
      }),
    ]),
    [
      'Biomass',
      textOf(statistics.biomass, ({ tonnes }) =>
        Object.entries(tonnes)
          .map(([year, t]) => `${year}: ${tonnesText(t)}`)
          .join(', '),
      ),
    ],
    [
      'Diversity',
      textOf(
        statistics.diversity,
        ({ score, basis, year }) => `${round(score, 2)} by ${basis}${year === null ? '' : ` of ${year}`}`,
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

/** Of remarks: their size, and where their texts begin. */
const SIZE = 7.2;
const MARKS = 128;

/** One line of the list: a dot of its gravity, a mark, the sentence. */
interface Remark {
  readonly color: string;
  readonly mark: string;
  readonly text: string;
}

function drawFindings(sheet: Sheet, { record, findings, facts }: FittedPlot, top: number, bottom: number): void {
  const { doc, type } = sheet;
  const all: Remark[] = [
    ...(record.review == null ? [] : [reviewRemark(record.review)]),
    ...findings.map(remarkOf),
    ...facts.warnings.map(({ code, message }) => ({ color: FAINT, mark: code.replaceAll('_', ' '), text: message })),
  ];
  // A check that warns and a rule that is not met may say the same.
  const remarks = all.filter(({ text }, i) => all.findIndex((other) => other.text === text) === i);
  if (remarks.length === 0) {
    type.line('Every rule was met as the plot stood; nothing was changed.', PAGE.left, top + 4, {
      size: SIZE,
      color: SOFT,
    });
    return;
  }
  let y = top + 4;
  for (const [i, { color, mark, text }] of remarks.entries()) {
    const words = ringsInWords(text);
    const marks = type.wrap(mark, MARKS - 14, { size: SIZE }).length;
    const lines = Math.min(2, Math.max(marks, type.wrap(words, CONTENT_WIDTH - MARKS, { size: SIZE }).length));
    const height = lines * SIZE * 1.42 + 1.5;
    if (y + height - SIZE > bottom - (i === remarks.length - 1 ? 0 : SIZE * 1.42)) {
      const more = counted(remarks.length - i, 'more remark');
      type.line(`and ${more}: see findings.csv and the collection itself`, PAGE.left + 9, y, {
        size: SIZE,
        color: SOFT,
      });
      return;
    }
    doc.circle(PAGE.left + 3, y - 2.4, 2).fill(color);
    type.paragraph(mark, PAGE.left + 9, y, MARKS - 14, { size: SIZE, color: SOFT, maxLines: 2 });
    type.paragraph(words, PAGE.left + MARKS, y, CONTENT_WIDTH - MARKS, { size: SIZE, color: INK, maxLines: 2 });
    y += height;
  }
}

/** A sentence that says by its place in the GeoJSON which ring it is about, as on paper: from 1, and the outer one by name. */
export function ringsInWords(text: string): string {
  return text.replaceAll(
    /\bring (?:geometries\[\d+\]\.)*coordinates(?:\[(\d+)\])?\[(\d+)\](?!\[)/g,
    (_, part: string | undefined, ring: string) =>
      `${ring === '0' ? 'outer ring' : `ring of hole ${ring}`}${part === undefined ? '' : ` of part ${Number(part) + 1}`}`,
  );
}

/** What a person decided of it, which is recorded and changes nothing that was found. */
function reviewRemark({ state, note, by, at }: Review): Remark {
  const who = `By ${by}, ${at.slice(0, 10)}`;
  return { color: INK, mark: `review: ${state}`, text: note === '' ? `${who}.` : `${who}: ${note}` };
}

function remarkOf({ rule, detail, fixed }: Finding): Remark {
  const { severity, official } = RULES[rule];
  const color = fixed ? GREEN : severity === 'error' ? RED : severity === 'warning' ? AMBER : FAINT;
  const number = official === null ? '' : ` (error ${official})`;
  return { color, mark: `${rule.replaceAll('-', ' ')}${number}`, text: fixed ? `Put right: ${detail}` : detail };
}
