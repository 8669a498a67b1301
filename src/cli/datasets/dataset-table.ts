import type { MappedInfo } from '../../service/datasets/catalogue.ts';
import type { ListedDataset } from '../../service/datasets/list-datasets.ts';

/** Columns of a terminal that a line fits into, unless an id alone is longer. */
const WIDTH = 100;
const GAP = '  ';
/** Widest that the column of names gets; longer ones stand on a line of their own. */
const MOST_NAME = 30;
const HEADINGS: Row = { name: 'name', date: 'date', ground: 'west,south,east,north', size: 'size', holds: ['holds'] };

interface Row {
  readonly name: string;
  readonly date: string;
  readonly ground: string;
  readonly size: string;
  /** What it is used for, kept together at line breaks. */
  readonly holds: readonly string[];
}

/** A table for people: a row for each pack or dataset in their order. What a row holds goes on below where it is longer than the line. */
export function datasetTable(datasets: readonly ListedDataset[]): string {
  const rows = [...byPack(datasets).values()].map(asRow);
  const all = [HEADINGS, ...rows];
  const widest = (cell: (row: Row) => string): number => Math.max(...all.map((row) => cell(row).length));
  const widths = [
    Math.min(
      MOST_NAME,
      widest(({ name }) => name),
    ),
    widest(({ date }) => date),
    widest(({ ground }) => ground),
    widest(({ size }) => size),
  ];
  const lines = rows.flatMap((row) => linesOf(row, widths));
  const heading = linesOf(HEADINGS, widths);
  const used = Math.min(WIDTH, Math.max(...[...heading, ...lines].map((line) => line.length)));
  return [...heading, '-'.repeat(used), ...lines, ''].join('\n');
}

/** Datasets of one pack together, where its first one stands. */
function byPack(datasets: readonly ListedDataset[]): Map<string, readonly ListedDataset[]> {
  const groups = new Map<string, ListedDataset[]>();
  for (const dataset of datasets) {
    const key = dataset.pack === null ? `dataset ${dataset.id}` : `pack ${dataset.pack} ${releaseOf(dataset)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [dataset]);
    else group.push(dataset);
  }
  return groups;
}

/** What was fetched by itself may be of several releases. */
function releaseOf({ fetched_cells: cells, version }: ListedDataset): string {
  return cells === null ? '' : version;
}

function asRow(group: readonly ListedDataset[]): Row {
  const [{ id, pack, date, coverage, synthetic, fetched_cells: fetched }] = group;
  const bytes = group.flatMap((dataset) => dataset.bytes ?? []);
  return {
    name: fetched === null ? (pack ?? id) : `${pack}, ${fetched} ${fetched === 1 ? 'cell' : 'cells'}`,
    date: date ?? '-',
    ground: describeGround(coverage),
    size: bytes.length === 0 ? '-' : describeBytes(bytes.reduce((sum, some) => sum + some, 0)),
    holds: [...(synthetic ? ['synthetic'] : []), ...group.map(describeTheme)],
  };
}

function describeTheme({ id, pack, role, features, mapped }: ListedDataset): string {
  const theme = pack === null ? role : id.slice(pack.length + 1);
  const counted = features === null ? theme : `${theme} ${features.toLocaleString('en')}`;
  return mapped === null ? counted : `${counted} (${describeMapped(mapped)})`;
}

/** On how much of its ground a theme is mapped. */
export function describeMapped({ measured, cells, mapped_cells: mapped }: MappedInfo): string {
  if (!measured) return 'not measured where it is mapped';
  if (mapped === 0) return 'mapped nowhere';
  // Never 100 where some is missing, nor 0 where there is some.
  const percent = mapped === cells ? 100 : Math.min(99, Math.max(1, Math.round((mapped / cells) * 100)));
  return `mapped on ${percent} %`;
}

function describeBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** The box round a coverage, to a hundredth of a degree outwards. */
function describeGround(coverage: ListedDataset['coverage']): string {
  const box = 'type' in coverage ? boxOf(coverage) : coverage;
  const [west, south, east, north] = box;
  if (west <= -180 && east >= 180 && south <= -80 && north >= 80) return 'the world';
  const outwards = [Math.floor, Math.floor, Math.ceil, Math.ceil];
  // What is a hundredth but for the rounding of doubles stays one.
  return box.map((degrees, side) => outwards[side](Number((degrees * 100).toFixed(6))) / 100).join(',');
}

function boxOf(coverage: Extract<ListedDataset['coverage'], { type: string }>): readonly number[] {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    if (typeof value[0] !== 'number') return value.forEach(visit);
    const [lon, lat] = value as number[];
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  };
  if ('coordinates' in coverage) visit(coverage.coordinates);
  return box;
}

function linesOf({ name, date, ground, size, holds }: Row, widths: readonly number[]): readonly string[] {
  const long = name.length > widths[0];
  const cells = [
    (long ? '' : name).padEnd(widths[0]),
    date.padEnd(widths[1]),
    ground.padEnd(widths[2]),
    size.padStart(widths[3]),
  ];
  const start = cells.join(GAP);
  const onRow = [start, holds.join(', ')].join(GAP);
  const rest = onRow.length <= WIDTH ? [onRow] : [start.trimEnd(), ...wrapped(holds)];
  return long ? [name, ...rest] : rest;
}

/** Lines below a row, a little to the right. */
function wrapped(holds: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const [i, word] of holds.entries()) {
    const text = i < holds.length - 1 ? `${word},` : word;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= WIDTH) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(`    ${text}`);
  }
  return lines;
}
