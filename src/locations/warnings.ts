import type { Param, Params } from '../messages/said.ts';

/** A problem of one row in the words of the table below. */
export interface LocationWarning {
  readonly code: LocationWarningCode;
  /** What fills the blanks of the message: from code and params it is written in other languages. */
  readonly params: Params;
  /** What is wrong, with the row, column and value it is about. */
  readonly message: string;
  readonly fix: string;
  /** The row as the spreadsheet shows it; in files without rows the number of the feature, from 1. */
  readonly row: number;
  readonly column?: string;
  /** As it stands in the file, shortened. */
  readonly value?: string;
}

interface WarningRow {
  /** `{word}` is filled in. */
  readonly message: string;
  readonly fix: string;
}

/** Every warning a location can carry, gravest first. The list is closed. */
export const LOCATION_WARNINGS = {
  not_a_feature: { message: '{reason}', fix: 'Write a GeoJSON Feature instead.' },
  set_aside: {
    message:
      'This location ended its worker process {crashes} times and was not processed. Its geometry is left out of the results.',
    fix: 'Draw the outline again with fewer corners, or report the location to whoever runs the service.',
  },
  unread_rows: {
    message: 'Nothing from here on was read: reading on ended the worker process {crashes} times.',
    fix: 'Save the file again or in another format, or send its rows in several files.',
  },
  unreadable_record: {
    message: 'The record cannot be read: {reason}',
    fix: 'Export the file again from the program it came from.',
  },
  invalid_geometry: {
    message: 'The geometry cannot be used: {reason}',
    fix: 'Correct the outline where the message says, or choose to have outlines repaired when the file is checked (repair); the changes are then listed.',
  },
  link_not_followed: {
    message: 'This is a link to another file, {link}, which is not followed: the places in it were not read.',
    fix: 'Open the file in the program it came from, and save the places themselves.',
  },
  parts_ignored: {
    message: 'Parts of the geometry were left out, and nothing is known of them: {reason}',
    fix: 'Correct these parts, or give each place a row of its own.',
  },
  unreadable_geometry: {
    message: 'The cell is not a geometry: {reason}',
    fix: 'Write WKT such as POINT (101.4478 0.5071), longitude first, hexadecimal WKB or GeoJSON.',
  },
  unsupported_geometry: {
    message: 'A {type} is not a place that can be declared.',
    fix: 'Give a point or a polygon; a line has no area. The regulation takes points and polygons alone.',
  },
  outline_closed: {
    message: 'The track ends {metres} m from where it begins and was taken for the outline of a plot.',
    fix: 'Look at the outline on the map; leave the row out where it is a way and not a plot.',
  },
  invalid_coordinate: {
    message: 'The value is not a {axis}: {reason}',
    fix: 'Write degrees such as 3.525253, or degrees, minutes and seconds such as 3°31\'30.9"N.',
  },
  incomplete_coordinates: {
    message: 'The {axis} is missing.',
    fix: 'Fill in both coordinates or leave both empty.',
  },
  crs_unknown: {
    message: 'The coordinates {x}, {y} are not degrees, and nothing says which coordinate system they are in.',
    fix: 'Name the system (crs, such as EPSG:32647), add a column with the UTM zone or the EPSG code, or add the .prj file.',
  },
  crs_refused: {
    message: 'The coordinate system cannot be used: {reason}.',
    fix: 'Convert the file to WGS84 longitude and latitude (EPSG:4326).',
  },
  crs_unverified: {
    message:
      'The coordinate system {name} has no verified definition, so its shift from WGS84 is not applied; places may be off by up to some hundred metres.',
    fix: 'Convert the file to WGS84 longitude and latitude (EPSG:4326).',
  },
  crs_assumed: {
    message: 'The file names no coordinate system; its numbers fit degrees and were taken for WGS84.',
    fix: 'Add the .prj file, or name the system (crs, such as EPSG:32647).',
  },
  out_of_range: {
    message: 'The {axis} {number} is outside -{limit} to {limit}.',
    fix: 'Check the decimal point and the order of latitude and longitude.',
  },
  coordinates_swapped: {
    message: 'Latitude and longitude look swapped: {reason}.',
    fix: 'Check the order of the two; GeoJSON and WKT write longitude first.',
  },
  hemisphere_guessed: {
    message: 'UTM zone {zone} was read as zone {number} {hemisphere}; the letter can also stand for a latitude band.',
    fix: 'Write the hemisphere as a word, north or south, or name the system (crs, such as EPSG:32647).',
  },
  null_island: {
    message: 'The place is longitude 0, latitude 0, which usually stands for a missing location.',
    fix: 'Give the real coordinates, or leave the cells empty.',
  },
  off_land: {
    message: 'The plot lies in {water} ({share} % of it).',
    fix: 'Check the sign and the order of longitude and latitude, and the number of decimals.',
  },
  country_unknown: {
    message: 'The country is not known by this name.',
    fix: 'Write the ISO code or a usual name of the country.',
  },
  country_mismatch: {
    message: 'The input says {stated}, but the place lies in {found}.',
    fix: 'Correct the country or the coordinates.',
  },
  disputed_territory: {
    message:
      'The place lies in {territory}, a disputed territory: {found} is taken for its country because it administers the place or the borders of the data put it there; it is also claimed by {claims}.',
    fix: 'State the country that your statement is to name, and keep the grounds for it; no position on the dispute is taken here.',
  },
  country_not_producing: {
    message: '{place} is not among the countries that produce {commodity}.',
    fix: 'Check the coordinates and the commodity; the countries are listed with the commodity in the documentation.',
  },
  latitude_beyond_limit: {
    message: 'Outside the commodity zone: {detail}',
    fix: 'Check the coordinates and the commodity.',
  },
  no_location: {
    message: 'The row has no coordinates, no geometry and nothing to geocode.',
    fix: 'Add coordinates or an address.',
  },
  geocoding_failed: {
    message: 'No place was found for "{query}".',
    fix: 'Add coordinates, or write the settlement, region and country in full.',
  },
  geocoding_imprecise: {
    message: 'The place was found only to the {precision}: {name}.',
    fix: 'Add coordinates or the name of the settlement.',
  },
  geocoded: {
    message:
      'The coordinates are those of {name}, found by {provider} to the {precision}; they are not of the place itself.',
    fix: 'Add the coordinates of the place where you have them.',
  },
  geocoder_failed: {
    message: 'The geocoder {provider} did not answer: {reason}.',
    fix: 'Try again later; the row was looked up in the built-in settlements alone.',
  },
  geocoding_off: {
    message: 'The row has no coordinates, and geocoding was switched off.',
    fix: 'Add coordinates, or have addresses looked up (geocode).',
  },
  deforestation: {
    message: 'Forest of 2020-12-31 was lost on the plot: {finding}',
    fix: 'Look at the plot on images of these years. A loss of trees is not always deforestation: fire, storm and harvest of a plantation are losses too.',
  },
  deforestation_unclear: {
    message: 'It cannot be ruled out that forest of 2020-12-31 was lost on the plot: {finding}',
    fix: 'Look at the plot on images, or name a dataset that covers all of it.',
  },
  partly_in_water: {
    message: '{share} % of the plot lies in {water}.',
    fix: 'Look at the outline of the plot along the shore; outlines of water may be off by some hundred metres.',
  },
  latitude_marginal: {
    message: 'At the edge of the commodity zone: {detail}',
    fix: 'Check the coordinates and the commodity.',
  },
  polygon_needed: {
    message: 'The plot has {area} ha and is given as a point; over 4 ha the regulation requires a polygon.',
    fix: 'Give the outline of the plot.',
  },
  location_type_guessed: {
    message: 'The row was taken for a {type} (a guess): {reason}.',
    fix: 'Choose the type when the file is checked (location_type), or add a column "location type" that says facility or plot.',
  },
  producer_missing: {
    message: 'No column of a producer, supplier, farmer or company is filled; the name of a plot is not taken for one.',
    fix: 'Add a column ProducerName, or say which column holds producers (mapping).',
  },
  area_missing: {
    message: 'The plot is a point without an area; the information system would take it for 4 ha.',
    fix: 'Add a column with the area in hectares.',
  },
  area_invalid: {
    message: 'The area cannot be used: {reason}.',
    fix: 'Write a positive number, with its unit where it is not hectares.',
  },
  area_unit_assumed: {
    message: 'The size of a {unit} differs from place to place; {hectares} ha were taken for one.',
    fix: 'Give the area in hectares.',
  },
  area_mismatch: {
    message: 'The stated area is {stated} ha, the polygon has {measured} ha.',
    fix: 'Correct the area, its unit or the polygon.',
  },
  holes_unsupported: {
    message: 'The polygon has holes ({holes}); the EU information system reads the outer ring alone.',
    fix: 'Cut the polygon into parts without holes.',
  },
  coordinate_precision: {
    message:
      'Of the 6 decimals that the regulation requires, the coordinates have {decimals}, which is about {metres} m on the ground.',
    fix: 'Give 6 decimals, as measured. Nothing is wrong where zeros at the end were dropped.',
  },
  antimeridian_cut: {
    message:
      'The outline goes over the antimeridian; it was cut there into parts on either side (RFC 7946, section 3.1.9).',
    fix: 'Nothing, unless the outline was meant to go round the globe.',
  },
  no_ground: {
    message: 'The outline holds {area} ha, which is too small to grow anything on.',
    fix: 'Check the coordinates: corners that lie within centimetres of each other are often rounded.',
  },
  geometry_repaired: {
    message: 'The geometry was repaired: {changes}.',
    fix: 'Look at the repaired geometry; `repair_log` lists the changes.',
  },
  duplicate_id: {
    message: 'The location_id is also that of row {other}.',
    fix: 'Give every location an id of its own.',
  },
  duplicate_geometry: {
    message: 'The geometry is the same as that of row {other}.',
    fix: 'Remove one of the rows, or correct the coordinates.',
  },
  overlap: {
    message: 'The plot overlaps that of row {other} by {area} ha ({share} % of it).',
    fix: 'Correct the outlines so that no area is counted twice.',
  },
  overlaps_not_checked: {
    message:
      'Duplicates and overlaps were not checked from this row on: the batch is too large to compare more than {plots} plots with each other.',
    fix: 'Send the batch in parts.',
  },
  near_border: {
    message: 'The plot lies in {country}, {distance} from the border with {neighbours}.',
    fix: 'Make sure that the coordinates are exact and the country is the right one.',
  },
  far_from_facility: {
    message: 'The nearest facility of the batch, in row {other}, is {distance} km away.',
    fix: 'Check the coordinates of both, or whether the plot delivers there.',
  },
  cell_error: {
    message:
      'The cell holds an error of a spreadsheet, not a value; nothing is read from it and nothing is looked up with it.',
    fix: 'Correct the formula or the link that gives the error, or write the value itself.',
  },
  formula_refused: {
    message: 'The cell holds a formula that is not run: {reason}.',
    fix: 'Paste the value in place of the formula.',
  },
  formula_cell: {
    message: 'The cell holds a formula; it was not run, its saved result was read.',
    fix: 'Paste the values in place of the formulas so that the result cannot be out of date.',
  },
  merged_cell: {
    message: 'The cell is merged over the rows {first} to {last}; its value was read for each of them.',
    fix: 'Write the value in each row if it holds for all of them, or in the row that it is of.',
  },
  number_ambiguous: {
    message: 'The comma or point in the number may stand for thousands or for decimals; it was read as {read}.',
    fix: 'Write the number without thousands separators and with a decimal point.',
  },
  extra_cells: {
    message: 'The row has {got} cells, the header {wanted}; the rest is kept under column_{from} and following.',
    fix: 'Put quotes round values that hold the delimiter.',
  },
  undecodable_text: {
    message: 'The text holds characters that do not belong to the encoding {encoding}.',
    fix: 'Save the file as UTF-8.',
  },
} as const satisfies Readonly<Record<string, WarningRow>>;

export type LocationWarningCode = keyof typeof LOCATION_WARNINGS;

const MAX_VALUE_SHOWN = 80;
const RANK = new Map(Object.keys(LOCATION_WARNINGS).map((code, i) => [code, i]));

/** Where a warning belongs. */
interface WarningPlace {
  readonly row: number;
  readonly column?: string | undefined;
  readonly value?: unknown;
}

/** The warning with its blanks filled in; the message begins with the place. */
export function locationWarning(
  code: LocationWarningCode,
  { row, column, value }: WarningPlace,
  blanks: Params = {},
): LocationWarning {
  const { message, fix } = LOCATION_WARNINGS[code];
  // Most have no blanks, and come with every row.
  const text = !message.includes('{')
    ? message
    : message.replaceAll(/\{(\w+)\}/g, (blank, name: string) => textOf(blanks[name] ?? blank));
  const shown = value === undefined || value === null ? undefined : shortened(value);
  const place = `Row ${row}${column === undefined ? '' : `, column "${column}"`}${shown === undefined ? '' : `, value ${JSON.stringify(shown)}`}`;
  return {
    code,
    params: blanks,
    message: `${place}: ${text}`,
    fix,
    row,
    ...(column === undefined ? {} : { column }),
    ...(shown === undefined ? {} : { value: shown }),
  };
}

/** What fills a blank in English. */
function textOf(value: Param): string {
  return typeof value === 'object' && 'message' in value ? value.message : String(value);
}

/** Gravest first; equals stay in their order. */
export function byGravity(warnings: readonly LocationWarning[]): readonly LocationWarning[] {
  if (warnings.length < 2) return warnings;
  return warnings.toSorted((a, b) => (RANK.get(a.code) ?? 0) - (RANK.get(b.code) ?? 0));
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_VALUE_SHOWN ? `${text.slice(0, MAX_VALUE_SHOWN)}...` : text;
}
