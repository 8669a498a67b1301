import type { Recognised } from './recognised.ts';

/** Why a collection has its confidence: how many of its locations, and what of them. */
const CONFIDENCE = (
  [
    ['plots were found by their address alone', 'plot was found by its address alone', 'confidence.by_address'],
    ['plots fail the check {check:check}', 'plot fails the check {check:check}', 'confidence.check_failed'],
    [
      'plots have a doubt in the check {check:check}',
      'plot has a doubt in the check {check:check}',
      'confidence.check_doubt',
    ],
    [
      'plots could not be checked for {check:check}',
      'plot could not be checked for {check:check}',
      'confidence.not_checked',
    ],
    [
      'facilities could not be checked for {subject:subject}',
      'facility could not be checked for {subject:subject}',
      'confidence.facilities_not_checked',
    ],
    [
      'facilities lost points for {subject:subject}',
      'facility lost points for {subject:subject}',
      'confidence.facilities_lost',
    ],
    [
      'facilities have a geometry that cannot be used',
      'facility has a geometry that cannot be used',
      'confidence.facilities_geometry',
    ],
    [
      'locations were set aside, because their worker process ended while it worked on them',
      'location was set aside, because their worker process ended while it worked on them',
      'confidence.set_aside',
    ],
    [
      'locations stand for rows that were not read, because their worker process ended while it read on',
      'location stands for rows that were not read, because their worker process ended while it read on',
      'confidence.unread',
    ],
    [
      'locations are not processed: geocoding failed',
      'location is not processed: geocoding failed',
      'confidence.geocoding_failed',
    ],
    [
      'locations are not processed: geocoding too imprecise',
      'location is not processed: geocoding too imprecise',
      'confidence.geocoding_imprecise',
    ],
    [
      'locations are not processed: validation confidence too low',
      'location is not processed: validation confidence too low',
      'confidence.uncertain',
    ],
  ] as const
).flatMap(([many, one, code]): Recognised[] => [
  [`{count:number} ${many}.`, code],
  [`{count:number} ${one}.`, code],
]);

/** What is said of a collection as a whole. */
export const COLLECTIONS: readonly Recognised[] = [
  ...CONFIDENCE,
  ['Plots of different collections are not compared with each other.', 'overlaps.collections'],
  [
    'Plots that were not compared with the others of their collection: {plots:number}. A batch compares plots, except those without a usable geometry, with too many neighbours, or in a file with too many plots; one of an earlier version has to be processed again.',
    'overlaps.not_compared',
  ],
  ['The batch failed.', 'watch.batch_failed'],
  ['The batch was cancelled or is no longer kept.', 'watch.batch_gone'],
  ['The batch was cancelled before it was done.', 'watch.batch_cancelled'],
  ['No mail server is set (SMTP_URL); the email waits until one is.', 'email.no_server'],
];

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

/** How the share of a crop was measured. */
export const METHODS: readonly Recognised[] = [
  ['{pixels:pixels} of the map {map:text}; counted where it says {rule:rule}.', 'method.map'],
  ['{pixels:pixels} of {embeddings:text}, {data_year:year}; counted by {heads_list:heads}.', 'method.heads'],
  ['{pixels:pixels}; counted in {members_list:members}.', 'method.members'],
  ['{count:number} more have no data.', 'method.more_no_data'],
  ['Only the nearest {km:number} km were looked at.', 'method.nearest'],
  ['{count:number} more could not be queried.', 'method.not_queried'],
  ['Between {least_share:percent} and {most_share:percent} (95 %), its errors not known.', 'method.errors_unknown'],
  [
    '{claimed_share:percent} were claimed. Between {least_share:percent} and {most_share:percent} (95 %) after correction for false claims on {false_share:percent} of other ground and for finding {true_share:percent} of its own.',
    'method.errors_corrected',
  ],
  ['The year before could not be read in time, so {data_year:year} stands alone.', 'method.year_alone'],
  [
    'The two newest years disagree: {before_year:year} gives {before_share:percent}, {data_year:year} {data_share:percent}.',
    'method.years_disagree',
  ],
  ['{before_year:year} gives {before_share:percent}, which agrees.', 'method.years_agree'],
];

/** Why an event was not delivered. */
export const WEBHOOKS: readonly Recognised[] = [
  ['The receiver answered with a success other than 200; only 200 counts as delivered.', 'webhook.status_2xx_not_200'],
  ['The receiver answered with a redirect; redirects are never followed.', 'webhook.status_redirect'],
  ['The receiver refused the request.', 'webhook.status_4xx'],
  ['The receiver failed.', 'webhook.status_5xx'],
  ['The receiver answered with a status that is no answer to a POST.', 'webhook.status_other'],
  ['The registered address is not allowed here any more; nothing was sent.', 'webhook.url_refused'],
  ['The name leads to an address that is never connected to; nothing was sent.', 'webhook.address_refused'],
  ['The name does not exist or has no address.', 'webhook.dns_not_found'],
  ['The name could not be resolved.', 'webhook.dns_failed'],
  ['The receiver refused the connection.', 'webhook.connection_refused'],
  ['The receiver could not be reached.', 'webhook.connection_failed'],
  ['The connection was broken before the answer.', 'webhook.connection_reset'],
  ['The receiver closed the connection before the answer.', 'webhook.connection_closed'],
  ['No connection was made within the deadline of an attempt.', 'webhook.connect_timeout'],
  ['TLS was not agreed on within the deadline of an attempt.', 'webhook.tls_timeout'],
  ['The certificate of the receiver has expired.', 'webhook.tls_expired'],
  ['The certificate of the receiver is not valid yet.', 'webhook.tls_not_yet_valid'],
  ['The certificate of the receiver is signed by itself.', 'webhook.tls_self_signed'],
  ['The certificate of the receiver is from no known authority, or its chain is incomplete.', 'webhook.tls_untrusted'],
  ['The certificate of the receiver is for another name.', 'webhook.tls_wrong_name'],
  ['TLS could not be agreed on; wanted TLS 1.2 or later.', 'webhook.tls_failed'],
  ['No answer came within the deadline of an attempt.', 'webhook.answer_timeout'],
  ['The answer is not HTTP/1.1.', 'webhook.answer_invalid'],
  ['The headers of the answer are larger than what is read.', 'webhook.answer_headers_too_large'],
  [
    'The signing secret cannot be opened with the keys this service has; nothing was sent.',
    'webhook.secret_unreadable',
  ],
  ['The sender stopped several times while it sent this; it is not tried again by itself.', 'webhook.sender_lost'],
  ['The address is registered anyway; POST /webhooks/test shows whether it works.', 'webhook.registered_anyway'],
  ['{host:host} leads to an address that is never connected to.', 'webhook.host_refused'],
  ['{host:host} was not resolved within the deadline.', 'webhook.host_late'],
  ['{host:host} does not exist or has no address.', 'webhook.host_unknown'],
  ['{host:host} could not be resolved ({error:word}).', 'webhook.host_unresolved'],
  ['{host:host} has no address.', 'webhook.host_without_address'],
  ['{host:host} has {count:number} addresses; wanted at most {most:number}.', 'webhook.host_many_addresses'],
  ['The answer is not HTTP/1.1: {fault:text}.', 'webhook.not_http'],
];

/** What was done on request. */
export const DONE: readonly Recognised[] = [
  ['The collection is deleted.', 'done.collection_deleted'],
  ['The collection is not watched any more.', 'done.unwatched'],
  ['Your webhook is removed and what was still to be sent is cancelled.', 'done.webhook_removed'],
  ['Your credentials for {environment:word} are kept sealed.', 'done.credentials_kept'],
  ['Your credentials for {environment:word} are removed.', 'done.credentials_removed'],
  ['You had no credentials for {environment:word}.', 'done.no_credentials'],
  ['The test webhook was sent and the receiver answered 200.', 'done.test_sent'],
  ['The test webhook was not delivered.', 'done.test_not_sent'],
  ['The test webhook was interrupted because the service is stopping.', 'done.test_interrupted'],
  ['The status was {status:word}.', 'done.test_status'],
  ...(
    [
      ['the new secret', 'current'],
      ['the secret before', 'previous'],
    ] as const
  ).flatMap(([words, secret]): Recognised[] => [
    [`It was signed with ${words}.`, 'done.test_signed', { secret }],
    [
      `It was signed with ${words}; signed with the other one, the answer was {status:word}.`,
      'done.test_signed_again',
      { secret },
    ],
  ]),
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

/** What is wrong with a ring, and the code of it. */
const RINGS = [
  ['has fewer than 3 different positions', 'fault.short_ring'],
  ['crosses itself or another ring', 'fault.crossing'],
  ['runs twice along the same line', 'fault.overlap'],
  ['touches itself', 'fault.self_touch'],
  ['is a hole outside the exterior ring', 'fault.hole_outside'],
  ['is a hole inside another hole', 'fault.hole_in_hole'],
  ['touches other rings so that the interior falls into separate pieces', 'fault.disconnected_interior'],
] as const;

const ALL_OF_IT = { where: 'geometry' } as const;
const PROJECTED = '; it looks like metres of a projected system, wanted degrees (EPSG:4326)';
const SWAPPED = '; longitude and latitude look swapped (GeoJSON and WKT put longitude first)';

/** Why a geometry cannot be used; other languages get the kind of fault and its place. */
export const FAULTS: readonly Recognised[] = [
  ['The geometry is null; wanted a GeoJSON geometry.', 'fault.null', ALL_OF_IT],
  ['The geometry is {what:text}; wanted a GeoJSON geometry object.', 'fault.not_an_object', ALL_OF_IT],
  ['The geometry has the type {what:text}; wanted one of {types:text}.', 'fault.unknown_type', ALL_OF_IT],
  ['The {type:word} is empty; wanted at least one position.', 'fault.empty', ALL_OF_IT],
  ['Geometry collections are nested more than {count:number} deep.', 'fault.too_deep', ALL_OF_IT],
  [
    'The geometry has {count:number} vertices; wanted at most {most:number} (file_vertices in /limits).',
    'fault.too_large',
    ALL_OF_IT,
  ],
  [
    'The geometry has {count:number} parts; wanted at most {most:number} (file_parts in /limits).',
    'fault.too_large',
    ALL_OF_IT,
  ],
  ...['latitude {value:number}, outside -90 to 90', 'longitude {value:number}, outside -180 to 180'].flatMap(
    (words): Recognised[] => [
      [`{where:where} has the ${words}.`, 'fault.out_of_range'],
      [`{where:where} has the ${words}${SWAPPED}.`, 'fault.out_of_range'],
      [`{where:where} has the ${words}${PROJECTED}.`, 'fault.out_of_range'],
    ],
  ),
  ['{where:where} is {what:text}; wanted a position [longitude, latitude].', 'fault.bad_position'],
  ['{where:where} has {what:text}; wanted [longitude, latitude].', 'fault.bad_position'],
  ['{where:where} has {what:text} where a finite number was wanted for the {axis:word}.', 'fault.bad_position'],
  ['{where:where} has {what:text} where a number was wanted for the {axis:word}.', 'fault.bad_position'],
  ['{where:where} is {what:text}; wanted an array.', 'fault.bad_position'],
  ['{where:where} of the {type:word} is {what:text}; wanted an array.', 'fault.bad_position'],
  ['{where:where} has 1 position; wanted 2 or more.', 'fault.short_line'],
  [
    'The ring {where:where} is open: it begins at {first:text} and ends at {last:text}; wanted the same position.',
    'fault.open_ring',
  ],
  [
    'The ring {where:where} has {count:number} positions; wanted 4 or more, the last equal to the first.',
    'fault.short_ring',
  ],
  ['The ring {where:where} has 1 position; wanted 4 or more, the last equal to the first.', 'fault.short_ring'],
  ...RINGS.map(([words, code]): Recognised => [
    `The ring {where:where} ${words} at {at:text}, near vertex {vertex:number} of 0 to {last:number}.`,
    code,
  ]),
];
