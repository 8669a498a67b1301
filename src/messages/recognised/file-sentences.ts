import { NESTED } from '../geometry-place.ts';
import type { Recognised } from './recognised.ts';

/** How the name of a column fits a field. */
const NAMES = [
  ['The name is the official EUDR name of', 'official'],
  ['The name is one for', 'whole'],
  ['The name holds one for', 'part'],
] as const;

/** Why a column was taken for what it is. */
export const COLUMNS: readonly Recognised[] = [
  ['The mapping says so.', 'column.by_mapping'],
  ['The column is empty in the first rows.', 'column.empty'],
  ['Neither its name nor its values fit a field.', 'column.no_field'],
  ...NAMES.flatMap(([words, fit]): Recognised[] => [
    [`${words} {field:word}; it has no values in the first rows.`, 'column.name_without_values', { fit }],
    [
      `${words} {field:word} and {part_share:percent} of the first {count:number} values fit.`,
      'column.name_and_values',
      { fit },
    ],
  ]),
  ['{part_share:percent} of the first {count:number} values are a {field:word}.', 'column.by_values'],
  [
    'No heading names it; {part_share:percent} of the first {count:number} values are coordinates next to those of the other axis, and the first of the two was taken for the latitude.',
    'column.by_neighbour',
  ],
  [
    'A language model proposes {field:word} from the heading, and {part_share:percent} of the first {count:number} values fit; send mapping to say otherwise.',
    'column.by_model',
  ],
  ['Rows that leave it empty take {columns_list:columns}.', 'column.then'],
  ['Read where {columns_list:columns} is empty.', 'column.before'],
  ['Read where {columns_list:columns} are empty.', 'column.before'],
  ['Columns were found by the rules alone.', 'column.rules_alone'],
  ['The language model that proposes columns failed.', 'column.model_failed'],
  ['The language model did not answer.', 'column.model_silent'],
];

/** How other files than tables were read. */
export const SHAPEFILES: readonly Recognised[] = [
  ['The geometry is in {crs:text}.', 'file.geometry_crs'],
  ['The attributes of {name:name} were read as {encoding:word}.', 'file.attributes'],
  ['The layer "{name:name}" is a view and was not read; export it as a table.', 'file.view'],
  [
    'A language model found {count:number} places in the text; every value was copied from it word for word.',
    'file.by_model',
  ],
  ['{count:number} values that do not stand in the text were left out.', 'file.not_in_text'],
  ['{count:number} records of {name:name} are marked as deleted and were left out.', 'file.deleted'],
  ['{name:name} has no .prj file, so nothing says which coordinate system it is in.', 'file.no_prj'],
  ['{name:name} has no .dbf file, so its features have no attributes.', 'file.no_dbf'],
  ['{name:name} is in {crs:text}.', 'file.in_crs'],
];

/** What is wrong with a ring, the code of it, and how older versions said it. */
const RINGS = [
  ['has fewer than 3 different corners', 'fault.short_ring', 'has fewer than 3 different positions'],
  ['crosses itself or another ring', 'fault.crossing', 'crosses itself or another ring'],
  ['runs twice along the same line', 'fault.overlap', 'runs twice along the same line'],
  ['touches itself', 'fault.self_touch', 'touches itself'],
  ['lies outside the outline', 'fault.hole_outside', 'is a hole outside the exterior ring'],
  ['lies inside another hole', 'fault.hole_in_hole', 'is a hole inside another hole'],
  [
    'touches other rings so that the inside falls into separate pieces',
    'fault.disconnected_interior',
    'touches other rings so that the interior falls into separate pieces',
  ],
] as const;

const HINTS = [
  ['', {}],
  ['; longitude and latitude look swapped (GeoJSON and WKT put longitude first)', { hint: 'swapped' }],
  ['; it looks like metres of a projected system, wanted degrees (EPSG:4326)', { hint: 'projected' }],
] as const;

/** Of a position, after the words for its place. */
const POSITIONS: readonly Recognised[] = [
  ...['latitude {latitude:degrees}, outside -90 to 90', 'longitude {longitude:degrees}, outside -180 to 180'].flatMap(
    (words) => HINTS.map(([hint, fixed]): Recognised => [`has the ${words}${hint}.`, 'fault.out_of_range', fixed]),
  ),
  ['is {what:found}; wanted a position [longitude, latitude].', 'fault.bad_position'],
  [`has {what:found}${NESTED}; wanted [longitude, latitude].`, 'fault.bad_position', { nested: 'yes' }],
  ['has {what:found}; wanted [longitude, latitude].', 'fault.bad_position'],
  ...(['longitude', 'latitude'] as const).flatMap((axis) =>
    ['a finite number', 'a number'].map((kind): Recognised => [
      `has {${axis}:found} where ${kind} was wanted for the ${axis}.`,
      'fault.bad_position',
    ]),
  ),
  ['has 1 position; wanted 2 or more.', 'fault.short_line', { positions: 1 }],
];

/** Of a ring, after the words for it. */
const OUTLINES: readonly Recognised[] = [
  ['is open: it begins at {first:text} and ends at {last:text}; wanted the same position.', 'fault.open_ring'],
  ['has {positions:number} positions; wanted 4 or more, the last equal to the first.', 'fault.short_ring'],
  ['has 1 position; wanted 4 or more, the last equal to the first.', 'fault.short_ring', { positions: 1 }],
];

/** Why a geometry cannot be used; `faultParams` makes one place of what they say of it. */
export const FAULTS: readonly Recognised[] = [
  ['There is no geometry; wanted a point, a line or an outline.', 'fault.null'],
  ['{spot:place} has no geometry; wanted a point, a line or an outline.', 'fault.null_at'],
  ['The geometry is {what:found}; wanted a GeoJSON geometry object.', 'fault.not_an_object'],
  ['{spot:place} is {what:found}; wanted a GeoJSON geometry object.', 'fault.not_an_object'],
  ['The geometry has the type {what:found}; wanted one of {types:text}.', 'fault.unknown_type'],
  ['{spot:place} has the type {what:found}; wanted one of {types:text}.', 'fault.unknown_type'],
  ['The {type:word} is empty; wanted at least one position.', 'fault.empty'],
  ['Geometry collections are nested more than {count:number} deep.', 'fault.too_deep'],
  [
    'The geometry has {vertices:number} vertices; wanted at most {most:number} (file_vertices in /limits).',
    'fault.too_large',
  ],
  ['The geometry has {parts:number} parts; wanted at most {most:number} (file_parts in /limits).', 'fault.too_large'],
  ...[...POSITIONS, ...OUTLINES].map(([words, code, fixed]): Recognised => [
    `{spot:place} ${words}`,
    code,
    fixed ?? {},
  ]),
  ['{spot:place} is {what:found}; wanted a list.', 'fault.bad_position'],
  ['{spot:place} are {what:found}; wanted a list of geometries.', 'fault.bad_position'],
  ['The coordinates of the {spot:word} are {what:found}; wanted a list.', 'fault.bad_position'],
  ['The GeometryCollection has no usable member.', 'fault.no_member'],
  ...RINGS.map(([words, code]): Recognised => [
    `{spot:place} ${words} at longitude {lon:degrees}, latitude {lat:degrees}, near corner {corner:number} of {corners:number}.`,
    code,
  ]),
  // As older versions said it, with the place as a program finds it.
  ['The geometry is null; wanted a GeoJSON geometry.', 'fault.null'],
  ...POSITIONS.map(([words, code, fixed]): Recognised => [`{spot:where} ${words}`, code, fixed ?? {}]),
  ...OUTLINES.map(([words, code, fixed]): Recognised => [`The ring {spot:where} ${words}`, code, fixed ?? {}]),
  ['{spot:where} is {what:found}; wanted an array.', 'fault.bad_position'],
  ['{spot:collection} is {what:found}; wanted an array of geometries.', 'fault.bad_position'],
  ['{spot:where} of the {type:word} is {what:found}; wanted an array.', 'fault.bad_position'],
  ...RINGS.map(([, code, words]): Recognised => [
    `The ring {spot:where} ${words} at [{lon:degrees}, {lat:degrees}], near vertex {vertex:number} of 0 to {end:number}.`,
    code,
  ]),
];
