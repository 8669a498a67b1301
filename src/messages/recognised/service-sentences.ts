import { word } from '../said.ts';
import type { Recognised } from './recognised.ts';

/** What a request is, and whose credential it bears. */
const REQUESTS: readonly Recognised[] = [
  ['The bearer token and x-user-id name different users; send one of the two.', 'refusal.two_users'],
  ['x-user-email is believed only with x-internal-api-key, which is missing.', 'refusal.email_alone'],
  ['The internal key is not accepted.', 'refusal.key_refused'],
  ['x-user-id is not a usable user id.', 'refusal.user_id'],
  ['x-user-email is not an address mail can be sent to.', 'refusal.user_email'],
  ['The JWT comes from an issuer that is not accepted.', 'refusal.issuer'],
  ['{name:host} was sent {count:number} times; wanted once.', 'refusal.header_repeated'],
  ['The token is too long: wanted at most {most:number} characters, got {got:number}.', 'refusal.long_token'],
  ...(
    [
      ['is not JSON', 'json'],
      ['is not a JSON object', 'object'],
      ['names a member twice', 'twice'],
    ] as const
  ).map(([words, fault]): Recognised => [`The JWT's {part:word} ${words}.`, 'refusal.jwt_part', { fault }]),
  ['The JWT has a crit header; no critical extension is supported.', 'refusal.jwt_crit'],
  ['The JWT is of a user who was removed.', 'refusal.removed_user'],
  ['The user was removed while the file arrived.', 'refusal.user_removed'],
  ['The keys of the token issuer cannot be read at the moment.', 'refusal.issuer_keys'],
  ["The JWT's {claim:word} claim is missing.", 'refusal.jwt_claim', { fault: 'missing' }],
  ["The JWT's {claim:word} claim is not {wanted:text}.", 'refusal.jwt_claim', { fault: 'refused' }],
  ["The JWT's sub is not a usable user id.", 'refusal.jwt_claim', { claim: 'sub', fault: 'refused' }],
  ['The JWT has expired.', 'refusal.jwt_expired'],
  ['The JWT is signed with an algorithm that is not accepted.', 'refusal.jwt_algorithm'],
  ['The JWT could not be verified.', 'refusal.jwt_unverified'],
  ['Wanted at most {count:number} attempts a minute for one account from one address.', 'refusal.sign_ins'],
  ['Wanted at most {count:number} attempts a minute from one address or for one account.', 'refusal.sign_ins'],
  ['Wanted at most {count:number} MCP requests open at the same time (mcp_exchanges in /limits).', 'refusal.mcp'],
  [
    'This credential was refused {count:number} times within a minute; it is not looked at before that minute is over.',
    'refusal.credential_refused',
  ],
  [
    'This address sent {count:number} refused credentials within a minute; valid ones are still accepted.',
    'refusal.address_refused',
  ],
  [
    'Idempotency-Key: wanted 1 to {most:number} printable ASCII characters, in quotation marks or without spaces, commas and quotation marks.',
    'refusal.idempotency_key',
  ],
  ['The Host header is missing.', 'refusal.no_host'],
  ['The client closed the connection.', 'refusal.client_gone'],
  ['The client left before its file had arrived.', 'refusal.client_gone'],
  ['{method:upper} is not possible here.', 'refusal.method_alone'],
  ['The request did not arrive in time.', 'refusal.late_request'],
  ['Content-Length is not a number the service can use.', 'refusal.content_length'],
  ['Content-Length was sent twice or together with Transfer-Encoding.', 'refusal.content_length'],
  ['The body is not as long as Content-Length says.', 'refusal.content_length'],
  ['The request line does not begin with a method of HTTP.', 'refusal.not_http'],
  ['The request is not valid HTTP.', 'refusal.not_http'],
  ['The body is not in valid chunks.', 'refusal.not_http'],
  ['Expect: wanted 100-continue or no such header.', 'refusal.expect'],
  ['The chunk extensions of the body are larger than the service reads.', 'refusal.large_chunks'],
  [
    'The request line and headers are larger than the {most:number} bytes that the service reads.',
    'refusal.large_headers',
  ],
  ['The path holds a broken percent escape.', 'refusal.bad_path'],
  ['One part of the path is longer than {most:number} characters.', 'refusal.long_part'],
  ['The request was refused with status {status:number}.', 'refusal.status'],
  ['There is no error code {name:json}.', 'refusal.no_such'],
  ['There is no picture {name:json}.', 'refusal.no_such'],
  ['The console has no file {name:json}.', 'refusal.no_such'],
  ['There is no page {name:json}; there are {names:text}.', 'refusal.no_such_among'],
  ['The body is not JSON: {fault:text}.', 'refusal.not_json'],
];

/** Forms with files. */
const FORMS: readonly Recognised[] = [
  ['The field "{name:name}" came twice; wanted it once.', 'refusal.field_twice'],
  ['The field "{name:name}" is too long; wanted at most {most:number} bytes, got more.', 'refusal.long_field'],
  [
    'The form has an unknown part; wanted parts named {names:text}, got {got:json}; send it in the address: {query:host}.',
    'refusal.part_in_address',
  ],
  [
    'The form has an unknown part; wanted parts named {names:text}, got {got:json}; did you mean {near:json}?',
    'refusal.unknown_part_near',
  ],
  ['The form has an unknown part; wanted parts named {names:text}, got {got:json}.', 'refusal.unknown_part'],
  ['The form field fetch_data is true without dry_run; wanted both.', 'refusal.fetch_without_dry_run'],
  ['A field has the name of a built-in property; wanted the name of a known field.', 'refusal.field_name'],
  ['A part that declares application/json does not hold JSON; wanted JSON.', 'refusal.part_not_json'],
  ['The form has far too many parts; wanted a file and the known fields.', 'refusal.many_parts'],
  ['The form has far too many fields; wanted the known ones.', 'refusal.many_parts'],
  ['The form holds more than one file; wanted one file.', 'refusal.form_with_files'],
  [
    'The form cannot be read; wanted a multipart form (RFC 7578), got a broken one: {reason:text}.',
    'refusal.broken_form',
  ],
  ['There is no room for uploads on the disk of the service.', 'refusal.no_room'],
  ['The form has both a file and a filename; wanted one of them.', 'refusal.file_and_name'],
  [
    'The form holds no file; wanted one in the part "file", or "filename" with the id of a staged collection, got none.',
    'refusal.form_without_either',
  ],
  ['{field:host} is not read in the body; {reason:known}.', 'refusal.misplaced'],
  [
    'The GeoJSON has a member "{name:word}", which is an option and is not read there; {reason:known}.',
    'refusal.option_in_file',
  ],
];

/** Pages, map programs and columns. */
const SETS: readonly Recognised[] = [
  [
    '{name:word}: wanted the `next` link of a page of the features that are there now; they have changed, begin again without it.',
    'refusal.page_gone',
  ],
  [
    '{name:word}: wanted `next` of the page before, whose last {what:word} is still there, got {got:json}; begin again without it.',
    'refusal.page_gone',
  ],
  [
    '{name:word}: there is no property {property:json}; the queryables of the collection list them.',
    'refusal.cql2_property',
  ],
  ['{name:word}: there is no property {property:json}; did you mean {near:text}.', 'refusal.cql2_property'],
  ['There is no set {id:json}; GET /ogc/collections lists those you can read.', 'refusal.no_set'],
  ['{id:host} has no feature {feature:json}.', 'refusal.no_feature'],
  [
    'There is no tile {tile:text}; wanted a zoom from 0 to {most:number}, and a column and a row of it.',
    'refusal.no_tile',
  ],
  ['{id:host} has no feature with a geometry, so there is nothing to draw.', 'refusal.nothing_to_draw'],
  ['{id:host} has no feature with a geometry in the box, so there is nothing to draw.', 'refusal.nothing_to_draw'],
  ['Segments are outlined by a running service alone.', 'refusal.segments_offline'],
  ['The label store {id:host} cannot be read now.', 'refusal.label_store'],
  ['The task {id:host} has no results: it is {status:word}.', 'refusal.task_is'],
  ['The results of the task {id:host} are a table; wanted GeoJSON or NDJSON.', 'refusal.results_table'],
  ['The results of the task {id:host} were deleted.', 'refusal.results_deleted'],
  ['The collection has no locations yet: its batch is running, or none was requested.', 'refusal.no_locations_yet'],
  ['The file of {id:host} has no index; wanted one with an index.', 'refusal.no_index'],
  [
    'The collection was deleted or processed again while it was read; wanted the request sent again.',
    'refusal.changed_meanwhile',
  ],
  [
    'The collection {id:json} was deleted or processed again while it was read; wanted the request sent again.',
    'refusal.changed_meanwhile',
  ],
  ['There is no parameter or column {name:json}; there are {names:text}.', 'refusal.no_column'],
  ['There is no parameter or column {name:json}; did you mean {near:text}?', 'refusal.no_column_near'],
  [
    'aggregate: wanted no aggregate together with plots_only: without plots_only it counts each plot once.',
    'refusal.aggregate_with_plots',
  ],
  ['filename: wanted at most {most:number} facilities with plots_only; name fewer collections.', 'refusal.many_sheds'],
  ['Wanted filename or collections, got both.', 'refusal.two_selections'],
  ['signature: wanted detached, because the answer is no text; got enveloping.', 'refusal.detached'],
  [
    'signature: wanted detached for an answer of over {most:number} bytes, or a smaller part of it; got enveloping.',
    'refusal.detached_over',
  ],
  ['rows: wanted numbers from 0 to {to:number}, the places of the rows; got {got:number}.', 'refusal.row_numbers'],
  [
    'A workbook holds at most {most:number} rows here, and there are more; write .csv or .parquet.',
    'refusal.workbook_rows',
  ],
];

/** Statements, and the law of a request. */
const LAW: readonly Recognised[] = [
  ['The statement has {got:number} bytes; wanted at most {most:number}.', 'refusal.large_statement'],
  ...(
    [
      ['amended', 'amend'],
      ['retracted', 'retract'],
    ] as const
  ).map(([words, act]): Recognised => [
    `The submission cannot be ${words}: {why:text}, or its 72 hours are over.`,
    'refusal.submission_fixed',
    { act },
  ]),
  ['environment: wanted {values:text}, got {got:text}.', 'refusal.environment'],
  ['Spreadsheets drop a zero at the start: did you mean {near:word}?', 'refusal.lost_zero'],
  ['Did you mean {near:name}?', 'refusal.did_you_mean'],
  [
    'role: a micro or small primary operator files a simplified declaration; give kind=simplified_declaration, or role=operator for a statement.',
    'refusal.role_simplified',
  ],
  [
    'role: only a micro or small primary operator, or its representative, files a simplified declaration; give role=primary_operator.',
    'refusal.role_primary',
  ],
  ['cn: {code:word} is too short on {day:day}; listed are {codes:text}.', 'refusal.short_code'],
  ['cn: {code:word} is not listed in Annex I on {day:day}.', 'refusal.unlisted_code'],
  ['Near it are {codes:text}.', 'refusal.near_codes'],
  [
    'cn: wanted one code a commodity, got {code:word} and {other:word} for {commodity:commodity}; make an export for each product.',
    'refusal.two_codes',
  ],
];

/** What is wrong with the address of a webhook. */
const ADDRESSES = [
  ['holds white space, a control character or a backslash', 'characters'],
  ['is not an address such as https://example.org/hooks', 'form'],
  ['holds a user name or password; receivers check the signature', 'user'],
  ['holds a fragment (#), which is never sent', 'fragment'],
  ['is an address of this service itself', 'own'],
  ['uses port {port:number}; wanted 443, or one from {from:number} up that no other service is known for', 'port'],
  ['has a host of {count:number} characters; wanted at most {most:number}', 'host_length'],
  ['names an IP address; wanted a host name', 'ip'],
  ['ends its host with a dot', 'dot'],
  ['has a host without a dot, which is no public name', 'public'],
  ['has a host with a part that is empty or longer than {most:number} characters', 'host_part'],
  ['has a host under {suffix:host}, which is not public', 'public'],
] as const;

const DATABASE = [
  ['The disk of the database is full: nothing of this was stored. It goes on as soon as there is room.', 'disk'],
  ['The database is out of memory: nothing of this was stored.', 'memory'],
  ['The database takes no writes at the moment, as during a failover: nothing of this was stored.', 'readonly'],
  ['The database cannot read or write its files.', 'files'],
  ['A page of the database is damaged; the operator has to restore it from a backup.', 'page'],
  ['An index of the database is damaged; the operator has to rebuild it or restore a backup.', 'index'],
] as const;

/** How the service runs, and who uses it. */
const RUNNING: readonly Recognised[] = [
  ['The data folder cannot be written to.', 'refusal.data_folder'],
  ['The disk of the data folder has {megabytes:number} MB free; wanted {wanted:number} MB.', 'refusal.disk'],
  ['The task runner cannot reach its queue.', 'refusal.runner'],
  ['The {name:name} is not available.', 'refusal.check_failed'],
  ['The {name:name} did not answer within {ms:number} ms.', 'refusal.check_late'],
  ...ADDRESSES.map(([words, fault]): Recognised => [`The address ${words}.`, 'refusal.webhook_address', { fault }]),
  ...['Webhooks', 'Filing', 'Signatures'].map((part): Recognised => [
    `${part} cannot be used: with DATABASE_URL the operator has to set SECRETS_KEY, which their {things:text} are sealed with.`,
    'refusal.no_keys',
    { what: word(`term.part.${part.toLowerCase()}`, part) },
  ]),
  ...DATABASE.map(([english, fault]): Recognised => [english, 'refusal.database', { fault }]),
  [
    'The embedded database is closed: {fault:text}. It opens again by itself.',
    'refusal.database_closed',
    { again: 'yes' },
  ],
  ['The embedded database is closed: {fault:text}. It stays closed.', 'refusal.database_closed', { again: 'no' }],
  [
    'Tasks work on these collections of {user:host}: {names:text}. Nothing was removed; wait for their end or cancel them, and call again.',
    'refusal.user_busy',
  ],
  [
    '{count:number} task of {user:host} is unfinished. Nothing was changed; wait for the end or cancel, and call again.',
    'refusal.user_unfinished',
  ],
  [
    '{count:number} tasks of {user:host} are unfinished. Nothing was changed; wait for the end or cancel, and call again.',
    'refusal.user_unfinished',
  ],
  ['The task was not run again: {reason:reason}.', 'refusal.not_run_again'],
  [
    'Reading the file ended its worker process {count:number} times before its first location was read.',
    'refusal.first_crashed',
  ],
  ['The language model that {what:text} failed before and is left alone for a while.', 'refusal.model'],
  ['The language model that {what:text} gave a reply of another shape.', 'refusal.model'],
  ['The language model that {what:text} failed or gave no reply in time.', 'refusal.model'],
];

export const SERVICE_SENTENCES: readonly Recognised[] = [...REQUESTS, ...FORMS, ...SETS, ...LAW, ...RUNNING];

/** Filters of map programs, which are read last: their words may be any. */
export const FILTERS: readonly Recognised[] = [
  ['filter: wanted a geometry in degrees or a bbox: {got:text}.', 'refusal.cql2', { name: 'filter' }],
  ['filter: wanted {wanted:text}, got {got:text}.', 'refusal.cql2', { name: 'filter' }],
  [
    'filter: the geometry at character {at:number} cannot be read: {reason:reason}.',
    'refusal.cql2_geometry',
    { name: 'filter' },
  ],
];

/** Ends of sentences, and sentences without a stop. */
export const SERVICE_REASONS: readonly Recognised[] = [
  ['it cannot be chosen: the newest year there is always answers', 'why.no_year_choice'],
  ['this endpoint takes no commodity', 'why.no_commodity_here'],
  ['send it in the address: {query:host}', 'why.in_address'],
  ['send it as the form field {field:word} next to the file', 'why.in_form'],
  ['plots and parts are in EPSG:4326', 'why.parts_in_degrees'],
  ['a search of parcels always answers at once', 'why.parcels_at_once'],
  ['password: wanted {from:number} to {to:number} characters, got {got:number}', 'refusal.password_length'],
  ['a user with the email {email:host} exists already', 'refusal.user_exists'],
  ['The batch of the collection {name:json} ({id:word}) was cancelled', 'refusal.batch_cancelled'],
  ['The batch of the collection {name:json} ({id:word}) failed: {reason:reason}', 'refusal.batch_failed'],
  ['opening the file ended its worker process {count:number} times; no row of it was read', 'why.opening_crashed'],
  [
    'more than {count:number} rows ended their worker process while the file was read and compared, and nothing was made of it',
    'why.rows_crashed',
  ],
];

export const SERVICE_WANTED: readonly Recognised[] = [
  ['2, 4, 6, 8 or 10 digits of the Combined Nomenclature, as 4101, "4101 20" or "ex 4101"', 'wanted.cn'],
  ['an ISO 3166-1 code (alpha-2 or alpha-3) or a name', 'wanted.country'],
  ['an ISO code or a usual name of a country', 'wanted.country'],
  ['a day not before monitoring_start ({day:day})', 'wanted.later_day'],
  ['west,south,east,north in degrees', 'wanted.box'],
  ['a box that {crs:host} reaches', 'wanted.box_in'],
  ['a coordinate system that the collection lists in `crs`', 'wanted.listed_crs'],
  ['a plot of at most {to:number} ha (split_plot_ha in /limits)', 'wanted.smaller_plot'],
  ['a sheet of the file ({names:text})', 'wanted.sheet_of'],
  ['a layer of the file ({names:text})', 'wanted.sheet_of'],
  ['nothing, because the file has no named sheets or layers', 'wanted.no_sheets'],
  ['a JSON object of column names and fields', 'wanted.mapping'],
  ['the name of a sheet or a JSON list of names', 'wanted.sheet_names'],
  ['one of {values:text} or null for {column:json}', 'wanted.field_for'],
  ['the id of a collection', 'wanted.collection_id'],
  ['at most {to:number} collections', 'wanted.collections_to'],
  ['a collection with facilities', 'wanted.with_facilities'],
  ['a JSON object', 'wanted.json_object'],
  ['another value', 'wanted.another_value'],
];

/** Words of a closed list, which are read last. */
export const CHOICES: readonly Recognised[] = [['{values:choice}', 'wanted.one_of']];

export const SERVICE_GOT: readonly Recognised[] = [
  ['{value:json} ({count:number} digits)', 'got.digits'],
  ['{count:number} ha', 'got.hectares'],
  ['{value:json}; did you mean {near:json}?', 'got.near'],
  ['only plots; their own numbers are at /fetch_deforestation_check', 'got.plots_only'],
];
