import { counted } from '../../counted.ts';
import type { LocationPreview } from '../../service/locations/preview-locations.ts';

/** Characters of a line. */
const WIDTH = 80;
const MOST_UNPLACED = 10;
/** Characters of a heading or name that are shown. */
const MOST_TEXT = 24;

/** What a file would become, for people, in lines of 80 characters. */
export function previewText(preview: LocationPreview): string {
  return [
    summary(preview),
    ...preview.mapping.map(table),
    section('First rows', firstRows(preview)),
    section('Rows whose place cannot be read', unplaced(preview)),
    section(
      'Commodity',
      commodity(preview).map((line) => wrapped(line)),
    ),
    section('Data for this region', region(preview)),
    section('Problems', problems(preview)),
    wrapped('Nothing was kept. Correct a column with --map, then run it without --dry-run.'),
    '',
  ]
    .filter((part) => part !== null)
    .join('\n');
}

function section(title: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : [title, '-'.repeat(title.length), ...lines, ''].join('\n');
}

function summary({ format, size, counts, remarks }: LocationPreview): string {
  return [
    `${counted(counts.locations, 'location')} (${format}): ${counted(counts.plots, 'plot')} of ${counted(counts.producers, 'producer')}, ${counted(counts.facilities, 'facility', 'facilities')}`,
    `${counts.with_geometry} with coordinates, ${counts.to_geocode} to be looked up by address, ${counts.without_place} without a place`,
    `${bytes(size.bytes)}${size.most_bytes === null ? '' : ` of at most ${bytes(size.most_bytes)}`}; at most ${size.most_locations.toLocaleString('en')} locations`,
    ...(counts.plots_without_producer === 0
      ? []
      : [`${counted(counts.plots_without_producer, 'plot')} without a producer`]),
    ...remarks,
  ]
    .map((line) => wrapped(line))
    .concat('')
    .join('\n');
}

function bytes(count: number): string {
  return count < 1e6 ? `${Math.max(1, Math.round(count / 1e3))} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

function table({ name, rows, skipped, columns }: LocationPreview['mapping'][number]): string {
  const title = name === null ? 'Columns' : `Sheet ${JSON.stringify(name)}`;
  if (skipped !== null) return `${wrapped(`${title} is left out: ${skipped}`)}\n`;
  const cells = columns.map(({ column, field, confidence, why }) => [
    cut(column),
    field ?? '-',
    confidence.toFixed(2),
    why,
  ]);
  return section(
    rows === null ? title : `${title}, ${counted(rows, 'row')}`,
    fitted(['column', 'field', 'sure', 'why'], cells),
  )!;
}

function firstRows({ sample }: LocationPreview): readonly string[] {
  if (sample.length === 0) return [];
  const cells = sample.map((row) => [
    String(row.source_row),
    row.location_type,
    cut(row.name ?? '-'),
    cut(row.country ?? '-'),
    placeOf(row),
  ]);
  return fitted(['row', 'type', 'name', 'country', 'place'], cells);
}

function placeOf({ place, point, geometry_type: type }: LocationPreview['sample'][number]): string {
  if (place === 'to_geocode') return 'to be looked up by address';
  if (place === 'none') return 'none';
  if (point === null) return 'cannot be used';
  const [lon, lat] = point;
  return `${type === 'Point' ? '' : `${type} around `}${lat.toFixed(5)}, ${lon.toFixed(5)}`;
}

function unplaced({ unplaced: rows }: LocationPreview): readonly string[] {
  const lines = rows.slice(0, MOST_UNPLACED).map(({ source_row: row, name, warnings }) => {
    const reason = warnings.find(({ code }) => code !== 'location_type_guessed')?.message;
    return wrapped(reason ?? `Row ${row}${name === null ? '' : ` (${cut(name)})`}: nothing says where it is.`);
  });
  return rows.length > MOST_UNPLACED ? [...lines, 'and more'] : lines;
}

function commodity({ commodity: { stated, without, proposed } }: LocationPreview): readonly string[] {
  const lines = stated.map(({ commodity: name, rows }) => `${cut(name)}: ${counted(rows, 'row')}`);
  if (without === 0) return lines;
  const none = `${counted(without, 'row')} ${without === 1 ? 'names' : 'name'} none.`;
  if (proposed === null) return [...lines, `${none} Name it with --commodity; nothing in the file does.`];
  const why = {
    rows: 'as the other rows do',
    file_name: `as the name of the file does ("${cut(proposed.text)}")`,
    sheet: `as the name of the sheet does ("${cut(proposed.text)}")`,
    heading: `as a heading does ("${cut(proposed.text)}")`,
  }[proposed.from];
  return [...lines, `${none} Proposed: --commodity ${proposed.commodity}, ${why}.`];
}

function region({ region: { countries, themes, to_fetch: fetch } }: LocationPreview): readonly string[] {
  if (themes.length === 0 && countries.length === 0) return [];
  const cells = themes.map((theme) => [
    theme.theme,
    String(theme.rows),
    String(theme.covered + theme.fetched),
    String(theme.to_fetch),
    String(theme.missing),
    theme.datasets
      .map(({ id, synthetic, remote }) => `${id}${synthetic ? ' (made up)' : ''}${remote ? ' (at an address)' : ''}`)
      .join(', '),
  ]);
  return [
    ...(countries.length === 0
      ? []
      : [wrapped(`Rows in ${countries.map(({ country, rows }) => `${country} ${rows}`).join(', ')}`)]),
    ...(themes.length === 0
      ? []
      : fitted(['about', 'rows', 'here', 'to fetch', 'missing', 'datasets'], cells, [1, 2, 3, 4])),
    ...(fetch === null
      ? []
      : [
          wrapped(
            `Map data of ${counted(fetch.cells, 'cell')} of 0.1 degree is fetched when it is needed${fetch.megabytes === null ? '' : `, about ${fetch.megabytes} MB`}; --fetch-data fetches ${fetch.cells > fetch.at_once ? `${fetch.at_once} of them` : 'it'} now.`,
          ),
        ]),
  ];
}

function problems({ problems: found }: LocationPreview): readonly string[] {
  return found.flatMap(({ code, count, example, fix }) => [
    `${count} ${code}`,
    wrapped(example, '  '),
    wrapped(fix, '  '),
  ]);
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}

/** Rows under headings; the last column goes on in the next line where it is too long. */
function fitted(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): readonly string[] {
  const last = headings.length - 1;
  const widths = headings
    .slice(0, last)
    .map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]!.length)));
  const left = widths.reduce((sum, width) => sum + width + 2, 0);
  const line = (cells: readonly string[]): string[] => {
    const first = widths.map((width, i) => (right.includes(i) ? cells[i]!.padStart(width) : cells[i]!.padEnd(width)));
    return broken(cells[last]!, Math.max(20, WIDTH - left)).map((text, i) =>
      `${i === 0 ? first.map((cell) => `${cell}  `).join('') : ' '.repeat(left)}${text}`.trimEnd(),
    );
  };
  return [headings, ...rows].flatMap(line);
}

/** A sentence in lines of 80 characters. */
function wrapped(text: string, indent = ''): string {
  return broken(text, WIDTH - indent.length)
    .map((line) => indent + line)
    .join('\n');
}

/** Lines of words, none longer than a width; longer words are cut through. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    for (let rest = word; rest !== ''; rest = rest.slice(width)) {
      const piece = rest.slice(0, width);
      const line = lines.at(-1)!;
      if (line === '') lines[lines.length - 1] = piece;
      else if (line.length + 1 + piece.length <= width) lines[lines.length - 1] = `${line} ${piece}`;
      else lines.push(piece);
    }
  }
  return lines;
}
