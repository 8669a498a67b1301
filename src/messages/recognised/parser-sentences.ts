import { word, type Said } from '../said.ts';
import type { Recognised } from './recognised.ts';

/** What the reader of WKT adds to what it wanted. */
const WKT_HINTS = [
  ['', 'none'],
  ['; the text is empty', 'empty'],
  ['; this looks like GeoJSON, wanted WKT such as POINT (101.4478 0.5071)', 'geojson'],
  ['; this looks like hexadecimal WKB, wanted WKT text', 'wkb'],
  ['; wanted WKT such as POINT (101.4478 0.5071), longitude first', 'order'],
] as const;

const WKT: readonly Recognised[] = [
  ...WKT_HINTS.map(([words, hint]): Recognised => [
    `WKT: wanted {wanted:wanted} at character {at:number}, got {got:quoted}${words}`,
    'why.wkt',
    { hint },
  ]),
  ['WKT: wanted SRID=4326 (WGS84 longitude and latitude), got SRID={srid:number}', 'why.wkt_srid'],
  ['WKT: geometry collections are nested more than {count:number} deep', 'why.wkt_deep'],
];

/** Ends of sentences of readers of files and geometries. */
export const PARSER_REASONS: readonly Recognised[] = [
  ...WKT,
  ['WKB: wanted {wanted:text}, got {got:text} (byte {at:number})', 'why.wkb'],
  ['wanted {wanted:wanted}, got {got:got} ({place_list:places})', 'why.wanted_at'],
  ['The JSON is not a GeoJSON geometry', 'why.no_geojson_geometry'],
  ['The text begins like JSON but is not JSON', 'why.not_json'],
  ['a quotation mark is left open', 'why.quote_open'],
  ['a record is too long', 'why.long_record'],
  ['its shape is missing from the .shp file', 'why.no_shape'],
  ['it ends before its last coordinate', 'why.shape_short'],
  ['it claims {count:number} items in {bytes:number} bytes', 'why.shape_claims'],
  ['its parts are out of order', 'why.shape_order'],
  ['it reaches outside the workbook', 'why.formula_outside'],
  ['it has no saved result', 'why.formula_unsaved'],
  ['a text file holds no saved result of it', 'why.formula_unsaved'],
  ['its definition cannot be read ({reason:text})', 'why.crs_definition'],
  ['its pages take too long to decode', 'why.pages_slow'],
  ['it has {count:number} pages; wanted at most {most:number}', 'why.many_pages'],
  ['its minutes or seconds cannot be read, or are 60 or more', 'why.minutes'],
  ...['list', 'number', 'boolean', 'object'].map((kind): Recognised => [
    `it is a ${kind}`,
    'why.of_kind',
    { kind: word(`wanted.${kind}`, `a ${kind}`) },
  ]),
  [
    'A feature is too large; wanted at most {most:number} bytes, got a longer one ({place_list:places}); with async_mode=true it is accepted',
    'refusal.file_limit_at',
    { what: limitOf('feature_bytes') },
  ],
  [
    'A feature is too large; wanted at most {most:number} bytes, got a longer one ({place_list:places})',
    'refusal.file_limit_at',
    { what: limitOf('feature_bytes') },
  ],
];

/** What a file has too much of; `{most}` in each. */
const LIMITS = [
  ['A placemark has too many elements; wanted at most {most:number}.', 'elements'],
  ['A place of the GPX file has too many values; wanted at most {most:number}.', 'columns'],
  ['A text of a placemark is too long; wanted at most {most:number} characters.', 'characters'],
  ['The archive unpacks to more than {most:number} bytes; wanted at most that.', 'unpacked'],
  ['The texts of the workbook are too long; wanted at most {most:number} characters together.', 'characters'],
  ['The workbook has too many texts; wanted at most {most:number}.', 'texts'],
  ['The GeoPackage has too many layers; wanted at most {most:number}.', 'sheets'],
  [
    'A value of the GeoPackage is too large; wanted at most {most:number} bytes (file_value_bytes in /limits).',
    'value_bytes',
  ],
  ['The file has too many columns; wanted at most {most:number}.', 'columns'],
] as const;

/** The same with what came. */
const LIMITS_PASSED = [
  ['The archive has too many entries; wanted at most {most:number}, got {got:number}.', 'entries'],
  ['The workbook has too many sheets; wanted at most {most:number}, got {got:number}.', 'sheets'],
  ['A group of rows is too large; wanted at most {most:number} bytes, got {got:number}.', 'group_bytes'],
  ['{name:host} is too large; wanted at most {most:number} bytes, got {got:number}.', 'bytes_of'],
  ['The file has too many features; wanted at most {most:number} features, got {got:number}.', 'features'],
] as const;

/** The same with a place. */
const LIMITS_AT = [
  ['A text in {file:file} is too long; wanted at most {most:number} characters ({place_list:places}).', 'characters'],
  [
    'An element of {file:file} has too many attributes; wanted at most {most:number} ({place_list:places}).',
    'attributes',
  ],
  [
    'A text, comment or attribute in {file:file} is too long; wanted at most {most:number} characters ({place_list:places}).',
    'characters',
  ],
  [
    'A record is too long; wanted at most {most:number} characters, got more ({place_list:places}); a quotation mark may be left open.',
    'record',
  ],
  ['{place_list:row} has too many columns; wanted at most {most:number}.', 'columns'],
  [
    '{place_list:row} has too many cells; wanted at most {most:number} (file_columns in /limits), got {got:text}.',
    'cells',
  ],
  [
    'The geometry of {place_list:row} has {count:number} vertices; wanted at most {most:number} (file_vertices in /limits).',
    'vertices',
  ],
  [
    'The geometry of {place_list:row} has {count:number} parts; wanted at most {most:number} (file_parts in /limits).',
    'parts',
  ],
] as const;

/** Refusals of files for what they have too much of. */
export const PARSER_SENTENCES: readonly Recognised[] = [
  ...LIMITS.map(([english, what]): Recognised => [english, 'refusal.file_limit', { what: limitOf(what) }]),
  ...LIMITS_PASSED.map(([english, what]): Recognised => [
    english,
    'refusal.file_limit_passed',
    { what: limitOf(what) },
  ]),
  ['The layer "{name:name}" has {count:number} columns; wanted 1 to {most:number}.', 'refusal.layer_columns'],
  [
    'The archive unpacks to more than {times:number} times its size; wanted at most that, or {most:number} bytes.',
    'refusal.unpacked_times',
  ],
  ...LIMITS_AT.map(([english, what]): Recognised => [english, 'refusal.file_limit_at', { what: limitOf(what) }]),
  ['Write the file with smaller row groups.', 'refusal.smaller_groups'],
  // A geometry of a request that is no WKT.
  ...WKT.map(([english, code, fixed = {}]): Recognised => [`${english}.`, code, fixed]),
];

function limitOf(what: string): Said {
  return word(`limit.${what}`, what.replaceAll('_', ' '));
}

/** What was wanted: of JSON, WKT, tables, archives and other files. */
export const PARSER_WANTED: readonly Recognised[] = [
  ['an object or array', 'wanted.json_container'],
  ['the rest of a byte order mark', 'wanted.bom'],
  ['a value or ]', 'wanted.value_or_end'],
  ['a member name in double quotes', 'wanted.json_name'],
  ['a member name in double quotes or }', 'wanted.json_name'],
  ['a colon', 'wanted.colon'],
  ['a comma or the closing bracket', 'wanted.comma_or_end'],
  ['nothing after the end', 'wanted.json_end'],
  ['true, false or null', 'wanted.json_word'],
  ['the rest of a string (control characters must be escaped)', 'wanted.json_string'],
  ['one of "\\/bfnrtu after a backslash', 'wanted.json_escape'],
  ['four hexadecimal digits after \\u', 'wanted.json_escape'],
  ['a digit after the minus sign', 'wanted.number_rest'],
  ['the end of the number (no digits may follow a leading 0)', 'wanted.number_rest'],
  ['the rest of a number', 'wanted.number_rest'],
  ['a digit after the decimal point', 'wanted.number_rest'],
  ['a digit or sign after the exponent mark', 'wanted.number_rest'],
  ['a digit after the sign of the exponent', 'wanted.number_rest'],
  ['at most {to:number} levels of nesting', 'wanted.nesting'],
  ['GeoJSON, which begins with { or [', 'wanted.geojson_start'],
  ['an array as "features"', 'wanted.features_array'],
  ['an array "features" in the FeatureCollection', 'wanted.features_array'],
  ['longitude and latitude on WGS84 (EPSG:4326)', 'wanted.wgs84'],
  ['points in longitude, latitude on WGS84 (EPSG:4326)', 'wanted.wgs84'],
  ['coordinates on WGS84 (EPSG:4326)', 'wanted.wgs84'],
  ['"FeatureCollection" as the "type" next to "features"', 'wanted.this', { value: '"type": "FeatureCollection"' }],
  ['"type": "FeatureCollection" next to "features"', 'wanted.this', { value: '"type": "FeatureCollection"' }],
  ['"type": "Feature"', 'wanted.this', { value: '"type": "Feature"' }],
  ['a FeatureCollection, Feature or geometry', 'wanted.geojson_object'],
  ['an object or null as "properties"', 'wanted.properties'],
  ['text in UTF-8', 'wanted.utf8'],
  // WKT and other geometries.
  ['a WKT type such as POINT or POLYGON', 'wanted.wkt_type'],
  ['a longitude', 'wanted.longitude_alone'],
  ['a coordinate', 'wanted.coordinate'],
  ['a space between longitude and latitude', 'wanted.space_between'],
  ['a latitude after the longitude', 'wanted.latitude_after'],
  ['a number after SRID=', 'wanted.srid_number'],
  ['{count:number} numbers in the position that begins at character {place:number}', 'wanted.numbers_at'],
  ["',' or ')'", 'wanted.this', { value: "',' / ')'" }],
  ['{sign:sign}', 'wanted.sign'],
  ['the end of the text', 'wanted.end'],
  ['the end of the filter', 'wanted.end'],
  ['longitude,latitude', 'wanted.pair'],
  ['a point, line or polygon', 'wanted.shape'],
  ['a GeoPackage geometry', 'wanted.gpkg_geometry'],
  ['an envelope indicator of 0 to 4', 'wanted.gpkg_geometry'],
  ['WKB or a native encoding', 'wanted.wkb_or_native'],
  ['a list of positions', 'wanted.positions'],
  ['numbers x and y', 'wanted.xy'],
  // Files.
  ['a shapefile in {file:file}', 'wanted.shapefile'],
  ['KML in {file:file}', 'wanted.kml_in'],
  ['GPX in {file:file}', 'wanted.gpx_in'],
  ['XML in an encoding that is known here', 'wanted.xml_encoding'],
  ['XML in {file:file}', 'wanted.xml_in'],
  ['{file:file} without a document type declaration', 'wanted.without_doctype'],
  ['at most {to:number} elements inside each other in {file:file}', 'wanted.xml_depth'],
  ['entries inside the archive', 'wanted.inside_archive'],
  ['entries that are stored or deflated', 'wanted.deflated'],
  ['every path once', 'wanted.path_once'],
  ['{count:number} bytes in {file:file} as the archive says', 'wanted.bytes_of'],
  ['a workbook in the archive', 'wanted.workbook'],
  ['a workbook with its list of parts', 'wanted.workbook_parts'],
  ['a dBase table', 'wanted.dbase'],
  ['a dBase table whose records hold its fields', 'wanted.dbase'],
  ['{count:number} rows in a group', 'wanted.group_rows'],
  ['JSON in the "geo" metadata', 'wanted.geo_json'],
  ['a primary column in the "geo" metadata', 'wanted.geo_column'],
  ['a zipped shapefile, a KMZ or an .xlsx workbook', 'wanted.known_archive'],
  ['the quotation mark of a value to be closed', 'wanted.quote_closed'],
  ['a CRS such as {examples:text}', 'wanted.crs'],
  ['one of the {count:number} EPSG codes with a verified definition', 'wanted.verified_crs'],
];

const BYTE_HINTS = [
  [' (NaN is not JSON; write null)', 'nan'],
  [' (Infinity is not JSON; write null)', 'infinity'],
  [' (write true in lower case)', 'true'],
  [' (write false in lower case)', 'false'],
  [' (strings take double quotes)', 'quote'],
  [' (JSON has no comments)', 'comment'],
  [' (this looks like XML or HTML)', 'markup'],
] as const;

/** What came in their place. */
export const PARSER_GOT: readonly Recognised[] = [
  ['coordinates in {crs:text}; reproject the file', 'got.in_crs'],
  ['a crs member that names another CRS', 'got.other_crs'],
  ['no "type"', 'got.no_type'],
  ['an object without "type"', 'got.object_without_type'],
  ['a bare {type:word}; put it into the "geometry" of a Feature', 'got.bare'],
  ['a byte that is not UTF-8 (byte {at:number}); save the file as UTF-8', 'got.not_utf8'],
  ['{encoding:word}; save the file as UTF-8', 'got.encoding'],
  ['{encoding:word}; save it as UTF-8', 'got.encoding'],
  ['byte {value:word}', 'got.byte'],
  ...BYTE_HINTS.map(([words, hint]): Recognised => [`{byte:host}${words}`, 'got.byte_hint', { hint }]),
  ['the end of the file ({place_list:places})', 'got.end_at'],
  ['the end of the file', 'got.end_at'],
  ['the end of the text', 'got.end_of_text'],
  ['the end of the filter', 'got.end_of_text'],
  ['an array', 'wanted.list'],
  ['a string', 'wanted.text'],
  ['a number', 'wanted.number'],
  ['a boolean', 'wanted.boolean'],
  ['null', 'wanted.null'],
  ['other bytes', 'got.other_bytes'],
  ['other text', 'got.another_text'],
  ['other XML', 'got.xml'],
  ['a text that breaks its grammar (line {line:number}): {reason:text}', 'got.broken_xml'],
  ['a text that cannot be read: {reason:text}', 'got.unreadable_text'],
  ['a text that breaks it: {reason:text}', 'got.unreadable_text'],
  ['one (line {line:number}); entities are not expanded', 'got.doctype'],
  ['more (line {line:number})', 'got.more'],
  ['the path {path:json}', 'got.path'],
  ['one that leads outside ({reason:text})', 'got.leads_outside'],
  ['compression method {method:number}', 'got.compression'],
  ['{value:json} twice', 'got.twice'],
  ['{count:number} bytes', 'got.bytes'],
  ['one whose header contradicts itself', 'got.bad_dbase'],
  ['an archive with nothing in it; send the file itself', 'got.empty_archive'],
  ['an archive with {names:text}; send the file itself', 'got.archive_with'],
  ['shape type {type:number}', 'got.shape_type'],
  // What a file looks like.
  ['a ZIP archive (a zipped Shapefile, a KMZ or a spreadsheet)', 'form.zip'],
  ['an empty ZIP archive', 'form.empty_zip'],
  ['a {name:word} file; send it unpacked', 'form.packed'],
  ['a {name:word} archive; send a ZIP archive', 'form.archive'],
  ['a GeoPackage or another SQLite database', 'form.sqlite'],
  ['a FlatGeobuf file; save it as GeoPackage or GeoJSON', 'form.flatgeobuf'],
  ['a {name:word} file', 'form.of'],
  ['a PDF document', 'form.of', { name: 'PDF' }],
  ['a Shapefile', 'form.of', { name: 'Shapefile' }],
  ['a picture', 'form.picture'],
  ['a {name:word} picture', 'form.picture'],
  ['an old Excel or Word file, or one with a password; save it as .xlsx without a password', 'form.office'],
  ['one part of a shapefile; send .shp, .dbf, .prj and .cpg together in a ZIP archive', 'form.shapefile_part'],
];
