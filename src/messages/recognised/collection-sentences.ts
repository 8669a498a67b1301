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
