import type { Recognised } from './recognised.ts';
import { COLLECTIONS, DONE, METHODS, WEBHOOKS } from './collection-sentences.ts';
import { COLUMNS, FAULTS, SHAPEFILES } from './file-sentences.ts';

/** What the checks of a plot say. */
const PLOT_CHECKS: readonly Recognised[] = [
  ['The plot has no geometry.', 'plot.no_geometry'],
  ['The plot has no usable geometry.', 'plot.unusable_geometry'],
  ['A line has no area; the regulation takes points and polygons.', 'plot.line'],
  ['A line has no area; wanted a point or a polygon.', 'plot.line'],
  ['The geometry is valid.', 'plot.valid_geometry'],
  ['Parts of the geometry were left out and not looked at.', 'plot.parts_ignored'],
  ['The geometry is valid; its holes ({count:number}) are not read by the information system.', 'plot.holes'],
  ['No area is known.', 'plot.no_area'],
  ['{area:number} ha is too small to grow anything on.', 'plot.no_ground'],
  ['{area:number} ha as a point; over {most:number} ha a polygon is needed.', 'plot.polygon_needed'],
  ['{area:number} ha.', 'plot.area'],
  ['The coordinates are not those of the input.', 'plot.other_coordinates'],
  ['The coordinates have up to {count:number} decimals.', 'plot.decimals'],
  ['Decimals of the coordinates: {count:number}; the regulation requires 6.', 'plot.few_decimals'],
  ['The geometry is that of row {row:text} too.', 'plot.same_geometry'],
  ['The id is that of row {row:text} too.', 'plot.same_id'],
  ['No other location of the batch has this id or geometry.', 'plot.no_duplicate'],
  ['The batch is too large to compare all of its plots.', 'plot.not_compared'],
  ['No other plot of the batch overlaps it.', 'plot.no_overlap'],
  ['It overlaps the plots of rows {rows:text}.', 'plot.overlaps'],
  ['The batch has no facility to compare with.', 'plot.no_facility'],
  ['The batch has too many facilities to compare the plot with all of them.', 'plot.facilities_not_compared'],
  ['The nearest facility of the batch, in row {row:text}, is {distance_m:kilometres} away.', 'plot.nearest_facility'],
  ['No dataset covers the plot.', 'plot.not_covered'],
  ['The plot could not be measured.', 'plot.not_measurable'],
  ['The plot was not measured.', 'plot.not_measured'],
  ['Longitude 0 and latitude 0 usually stand for a missing location.', 'plot.null_island'],
  ['Longitude and latitude look swapped: the other way round the plot lies in {country:country}.', 'plot.swapped'],
  ['The plot does not lie on the land of any country; water was not looked at.', 'plot.not_on_land'],
  ['Nothing separates land from water here.', 'plot.land_unknown'],
  ['The plot lies on land.', 'plot.on_land'],
  ['{part_share:percent} of the plot lies in {waters:waters}.', 'plot.in_water'],
  ['Outlines of water may be off by some hundred metres.', 'plot.water_is_coarse'],
  ['The plot does not lie in {country:country}, the stated country.', 'plot.other_country'],
  ['The plot lies on the high seas, in no country.', 'plot.high_seas'],
  ['The country of the place is not known.', 'plot.country_unknown'],
  ['The plot lies in waters that the borders of the data assign to {country:country}.', 'plot.waters_of'],
  [
    'The plot lies in {country:country}, {distance_m:distance} from the border with {countries:countries}.',
    'plot.near_border',
  ],
  ['The plot lies in {country:country}.', 'plot.in_country'],
  ['The input states no country, and outlines of countries are generalised.', 'plot.no_stated_country'],
  ['The input says {country:country}.', 'plot.stated_country'],
  ['No commodity was named, so nothing says whether it grows here.', 'plot.no_commodity'],
  ['There is no table of countries and latitudes for "{commodity:text}".', 'plot.no_table'],
  ['No commodity that has a detector was named.', 'plot.no_detector'],
  ['No commodity that has a detector was named ("{commodity:text}").', 'plot.no_detector_for'],
  ['{part_share:percent} of the plot is {commodity:commodity}.', 'plot.commodity_share'],
  ['The commodity could not be looked up: {reason:reason}.', 'plot.commodity_failed'],
  ['The place was found by its address alone.', 'plot.by_address'],
  ['Failed: {check:check}.', 'plot.failed'],
  ['In doubt: {check:check}.', 'plot.in_doubt'],
  ['Not looked at: {check:check}.', 'plot.not_looked_at'],
  ['In {country:country}, which produces {commodity:commodity}.', 'in_producing_country', { place: 'land' }],
  [
    'In waters that the borders of the data assign to {country:country}, which produces {commodity:commodity}.',
    'in_producing_country',
    { place: 'waters' },
  ],
  [
    'In {country:country}, which is not among the countries that produce {commodity:commodity}.',
    'in_country_without',
    { place: 'land' },
  ],
  [
    'In waters that the borders of the data assign to {country:country}, which is not among the countries that produce {commodity:commodity}.',
    'in_country_without',
    { place: 'waters' },
  ],
  ['On the high seas, in no country.', 'high_seas'],
  ['No latitude limits apply to this commodity.', 'latitude_unlimited'],
  ...(['south', 'north'] as const).flatMap((side) =>
    (
      [
        ['optimal', 'in the optimal band'],
        ['viable', 'in the viable band'],
        ['marginal', 'outside the viable band, though not impossible'],
        ['beyond', 'beyond the latitudes possible'],
      ] as const
    ).map(([fit, words]): Recognised => [
      `{latitude_degrees:number} degrees ${side} is ${words} for {commodity:commodity}.`,
      'latitude_fit',
      { side, fit },
    ]),
  ),
];

/** What one map of forest and one of losses say of a plot. */
const DEFORESTATION: readonly Recognised[] = [
  ['From synthetic data that describes no real place.', 'verdict.synthetic'],
  ['Not known.', 'eudr.not_known'],
  [
    'The plot has {area:number} ha, which is no ground that anything could be found on: check its outline.',
    'eudr.no_ground',
  ],
  ['That is less than one pixel of 30 m: look at the edge of the plot.', 'eudr.less_than_pixel'],
  ...(
    [
      ['', 'none'],
      [' in {year:year}', 'one'],
      [' from {from:year} to {to:year}', 'some'],
    ] as const
  ).flatMap(([words, years]): Recognised[] => [
    [
      `{area:number} ha of {forest:number} ha of forest of 2020-12-31 lost${words}.`,
      years === 'none' ? 'eudr.lost' : years === 'one' ? 'eudr.lost_in' : 'eudr.lost_from_to',
    ],
    [
      `{area:number} ha of the forest of 2020-12-31 lost${words}.`,
      years === 'none' ? 'eudr.forest_lost' : years === 'one' ? 'eudr.forest_lost_in' : 'eudr.forest_lost_from_to',
    ],
  ]),
  ['Datasets of losses disagree.', 'eudr.disagree'],
  [
    'The first dataset found no loss in the forest of 2020-12-31, {datasets:datasets} did: look at the plot.',
    'eudr.other_found',
  ],
  ['No deforestation after 2020-12-31 in what was looked at.', 'eudr.none_in_part'],
  ['No forest on 2020-12-31, so none was lost.', 'eudr.no_forest'],
  ['No loss of trees after 2020-12-31.', 'eudr.no_loss'],
  ['{forest:number} ha of forest on 2020-12-31, none lost after it.', 'eudr.none_lost'],
  ['Losses after {day:day} are not known yet.', 'eudr.later_unknown'],
  ['A facility is not checked for deforestation; its plots are.', 'eudr.facility'],
  ['By {datasets_list:text}.', 'eudr.by'],
  ['The period after {start:day} up to {end:day} contains no year after 2020-12-31.', 'eudr.no_year'],
  ['Forest on 2020-12-31 is unknown: {reason:reason}.', 'eudr.forest_unknown'],
  ['Losses are unknown: {reason:reason}.', 'eudr.losses_unknown'],
  ['{dataset:dataset} covers {part_share:percent} of the plot.', 'eudr.covers_part'],
  [
    '{dataset:dataset} covers losses from {from:year} to {to:year}; the request was for {start:day} to {end:day}.',
    'eudr.covers_years_of',
  ],
  ['{dataset:dataset} covers losses from {from:year} to {to:year}.', 'eudr.covers_years'],
  ['The collection is staged: its plots are not measured until POST /batch_process.', 'eudr.staged'],
  [
    'not processed: geocoding too imprecise: the address was found no closer than its {precision:word}.',
    'not_processed.imprecise',
  ],
  [
    'not processed: geocoding failed: the row has neither coordinates nor an address that was found.',
    'not_processed.not_found',
  ],
  [
    'not processed: validation confidence too low: the address was found with a confidence of {confidence_score:number}, below {least_score:number}.',
    'not_processed.uncertain',
  ],
];

/** When alerts were seen first. */
const SEEN = [
  ['', 'none'],
  [', seen first in {from:year}', 'one'],
  [', seen first in {from:year} to {to:year}', 'some'],
] as const;

/** What maps of alerts say. */
const ALERTS: readonly Recognised[] = [
  ...SEEN.map(([when, seen]): Recognised => [
    `{dataset:dataset} has alerts on {part_share:percent} of the plot${when}. How sure they are is not known.`,
    'vote.alerts',
    { seen },
  ]),
  ...(
    [
      ['', 'whole'],
      [' and covers {covered_share:percent} of it', 'part'],
    ] as const
  ).flatMap(([where, covered]): Recognised[] => [
    [
      `{dataset:dataset} has no alert on the plot${where}, which does not say that nothing was lost.`,
      'vote.no_alert',
      { covered },
    ],
    ...SEEN.map(([when, seen]): Recognised => [
      `{dataset:dataset} has alerts on {part_share:percent} of the plot${when}${where}, which does not say that nothing was lost.`,
      'vote.few_alerts',
      { seen, covered },
    ]),
  ]),
];

/** What a vote of a layer is not counted for, and what all of them come to. */
const VOTES: readonly Recognised[] = [
  ['The plot has {area:number} ha, on which nothing can be found.', 'vote.no_ground'],
  ['{area:number} ha is less than one pixel of 30 m: look at the edge of the plot.', 'vote.less_than_pixel'],
  [
    '{part_share:percent} of the circle around the point: its outline decides whether it is the plot.',
    'vote.part_of_circle',
  ],
  ['{dataset:dataset} is of {day:text}, and cannot say what was there on 2020-12-31.', 'vote.too_late'],
  ['{dataset:dataset} does not say of when it is, and cannot say what was there on 2020-12-31.', 'vote.without_day'],
  ['The plot reaches beyond the ground that {dataset:dataset} knows.', 'vote.beyond_ground'],
  ...ALERTS,
  ['{reason:reason}.', 'sentence_of'],
  ['Convergence of evidence: {verdict:verdict}, by {rules_list:rules} ({states:text}).', 'verdict.by_rules'],
  ['Convergence of evidence: {verdict:verdict}, by {rules_list:rules}.', 'verdict.by_rules'],
  [
    'Convergence of evidence: {verdict:verdict}, because no commodity is known and the trees of all crops do not agree.',
    'verdict.no_commodity',
  ],
  ['Convergence of evidence: {verdict:verdict}, because it is unknown: {unknown_list:indicators}.', 'verdict.unknown'],
  ['Sources disagree on {indicator:indicator}: {yes_list:list} yes, {no_list:list} no.', 'verdict.disagreement'],
];

/** What a lookup of a forest patch or a parcel warns of. */
const PATCHES: readonly Recognised[] = [
  ['The feature has no usable point: {reason:reason}.', 'patch.no_point'],
  ['No dataset of embeddings or segment labels covers this place.', 'patch.outside_coverage'],
  ['The dataset {dataset:dataset} has no data at this place.', 'patch.no_data'],
  ['The segment at this place is not forest.', 'patch.not_forest'],
  // By which probability or label: for those who read the API.
  ['The segment at this place is not forest: {detail:text}.', 'patch.not_forest'],
  ['The place could not be looked up: {reasons_list:reasons}.', 'patch.unavailable'],
  ['The forest patch lies outside the area in which {crs:text} can be used.', 'patch.outside_crs'],
  [
    'The forest patch goes on beyond the {extent:text} around the point that were searched; it was cut off there.',
    'patch.truncated',
  ],
  [
    'The point lies in a corner of its segment that smoothing cuts off, {distance_m:metres} from the outline that other points of {segment:text} get; the outline was drawn again so that it holds the point.',
    'patch.redrawn',
  ],
  ['The outline is that of the raster: no smoothing of it would keep its area and stay valid.', 'patch.not_smoothed'],
  ['Generated data: the dataset {dataset:dataset} describes no real place.', 'patch.synthetic'],
  ['No parcel dataset covers this place.', 'parcel.outside'],
  ['The place lies in {jurisdiction:text}, but in no parcel of it, such as a road allowance or water.', 'parcel.none'],
  ['The parcel could not be looked up: {reason:reason}.', 'parcel.unavailable'],
  ['The forest fallback gave no answer: {reason:reason}.', 'parcel.no_forest'],
  ['The forest fallback is still running; its results will be at {results:host}.', 'parcel.forest_pending'],
  ['This answer was kept from {minutes:age} ago.', 'note.kept_answer'],
  ['This answer was kept from {minutes:age} ago, because {reason:reason}.', 'note.kept_answer_because'],
  ['The parcel lies outside the area in which {crs:text} can be used.', 'parcel.outside_crs'],
  ['{count:text} parcels hold this place; the smallest is given. The others: {others:text}.', 'parcel.several'],
  ['The place lies on the boundary of the parcel.', 'parcel.on_boundary'],
  ['The place lies on the boundary of the parcel{others:text}.', 'parcel.on_boundary_with'],
  ['{dataset:dataset} holds more parcels around this place than were read.', 'parcel.more'],
  ['A dataset that is queried before this one failed: {reason:reason}.', 'parcel.other_failed'],
  ['The boundary of the parcel is not valid in its source: {reason:reason}.', 'parcel.invalid'],
];

/** Why a plot could not be divided; what is said of one that was looked at carries its codes from where it is written. */
const SPLITS: readonly Recognised[] = [
  ['A point has no ground that could be divided; wanted the outline of the plot as a polygon.', 'split.no_polygon'],
  ['A line has no ground that could be divided; wanted the outline of the plot as a polygon.', 'split.no_polygon'],
  ['The plot lies across the antimeridian; wanted its two sides as two plots.', 'split.across_antimeridian'],
  ['The geometry has no area.', 'split.no_area'],
  ['No dataset of embeddings covers the plot.', 'split.not_covered'],
  ['Embeddings that may cover the plot could not be read: {reasons_list:reasons}.', 'split.unavailable'],
];

/** How a file was read. */
const FILES: readonly Recognised[] = [
  [
    'The text was read as {encoding:word}, because {reason:reason}; columns are divided by a {delimiter:delimiter}.',
    'file.read_as',
  ],
  [
    'The text was read as {encoding:word}, because {reason:reason}; each line is a geometry.',
    'file.read_as_geometries',
  ],
  [
    'The table has no headings, so its columns are called column_1 and so on. Say what they hold with `mapping`, or add a row of headings.',
    'file.no_headings',
  ],
  ['The sheets {first:name} and {name:name} hold the same rows.', 'file.same_rows'],
  ['The hidden sheet "{name:name}" was not read.', 'file.hidden_sheet'],
  [
    'It holds the same rows as the sheet {name:name}, which is read; name both in `sheets` to have them read twice.',
    'skipped.same_rows',
  ],
  ['It was not requested.', 'skipped.not_requested'],
  ['The sheet is hidden.', 'skipped.hidden'],
  ['No column of it says where anything is.', 'skipped.no_place'],
  [
    'It names countries alone, and other sheets hold places; name it in the request to have it read.',
    'skipped.countries_alone',
  ],
];

export const SENTENCES: readonly Recognised[] = [
  ...PLOT_CHECKS,
  ...DEFORESTATION,
  ...PATCHES,
  ...FILES,
  ...SPLITS,
  ...VOTES,
  ...COLLECTIONS,
  ...COLUMNS,
  ...METHODS,
  ...WEBHOOKS,
  ...DONE,
  ...FAULTS,
  ...SHAPEFILES,
];

/** Ends of sentences: why something is not known, or was taken for what it is. */
export const REASONS: readonly Recognised[] = [
  ['no dataset covers the plot', 'why.not_covered'],
  ['no dataset of losses', 'why.no_losses'],
  ['no detection head or map of it covers the ground', 'why.not_detected'],
  ['{dataset:dataset} has no data there', 'why.no_data_there'],
  ['{dataset:dataset} has no data of {data_year:year} there', 'why.no_data_of_year'],
  [
    '{dataset:dataset} finds between {least_share:percent} and {most_share:percent} by {count:number} sampled pixels, which does not settle it',
    'why.not_settled',
  ],
  ['The plot reaches beyond the ground that {dataset:dataset} knows', 'why.beyond_ground'],
  ['the detector failed: {reason:reason}', 'why.detector_failed'],
  ['{dataset:dataset} has no data', 'why.no_data'],
  ['{dataset:dataset}: plots above {area:number} hectares are not measured on it', 'why.too_large'],
  ['{dataset:dataset}: plots above {area:number} hectares are not looked at', 'why.too_large'],
  ['it could not be reached', 'why.transport'],
  ['this machine has no network', 'why.offline'],
  ['it did not answer in time', 'why.timeout'],
  ['it refused to be read', 'why.refused'],
  ['an answer ended early', 'why.short'],
  ['it was replaced while it was read', 'why.changed'],
  ['it is no longer what its contract says; GET /datasets says more', 'why.contract'],
  ['its data could not be read', 'why.unreadable'],
  ['the lookup itself failed', 'why.lookup_failed'],
  ['it did not end in time', 'why.not_ended'],
  ['it holds no number', 'why.no_number'],
  ['it holds more than a number and a hemisphere', 'why.more_than_number'],
  ['two coordinates were wanted', 'why.two_wanted'],
  ['One of its points cannot be read', 'why.bad_point'],
  ['the link names no place by its coordinates; the middle of a view is none', 'why.link_without_place'],
  ['it is not a number of metres', 'why.no_metres'],
  ['it is neither WKT, hexadecimal WKB nor GeoJSON', 'why.no_geometry_text'],
  ['it is not a number with a unit that is known here', 'why.no_area_unit'],
  ['its cell is merged over several rows, and may hold the area of all of them', 'why.merged_area'],
  ['it is negative', 'why.negative'],
  ['it has neither an outline nor an area, and nothing in it says what it is', 'why.nothing_says_type'],
  ['it crosses itself', 'why.crosses_itself'],
  ['it runs twice along the same line', 'why.runs_twice'],
  ['it touches itself', 'why.touches_itself'],
  [
    'the column of latitudes goes beyond 90 and the other does not, so they were read the other way round',
    'why.column_beyond_90',
  ],
  ['the letters next to the numbers say so, and were followed', 'why.letters_say_so'],
  ['a latitude cannot be beyond 90, so the pair was read the other way round', 'why.pair_beyond_90'],
  ['the other way round the plot lies in {country:country}', 'why.swapped_plot'],
  ['the other way round the place lies in {country:country}, as the input says', 'why.swapped_place'],
  ['its byte order mark says so', 'why.byte_order_mark'],
  ['every second byte of it is zero', 'why.zero_bytes'],
  ['all of it is valid UTF-8', 'why.valid_utf8'],
  ['its bytes beyond ASCII are Thai letters', 'why.thai_letters'],
  ['its bytes beyond ASCII are Arabic words', 'why.arabic_words'],
  ['its bytes beyond ASCII are common Chinese characters', 'why.chinese_characters'],
  ['it is not UTF-8 and nothing else fits', 'why.nothing_else_fits'],
  ['it is not UTF-8 and its bytes look like that', 'why.looks_like_that'],
  ['{dataset:together}: {reason:known}', 'why.of_dataset'],
];
