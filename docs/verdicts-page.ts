import PLOTS from '../tools/verdicts/plots.json' with { type: 'json' };
import { COUNTED_GROUPS, CROP_GROUPS } from '../src/plots/crop-groups.ts';
import { INDICATOR_RULES, INDICATORS, VOTE_THRESHOLDS } from '../src/plots/indicators.ts';
import { TREES, type Rule, type Tree } from '../src/plots/trees.ts';
import { voteRaster } from '../src/readers/rasters/vote-spec.ts';
import { HEAD_YEAR, LARGEST_HEAD_HA, MOST_HEAD_PIXELS } from '../src/service/plots/head-votes.ts';
import { PUBLIC_RASTERS } from '../src/readers/rasters/public-rasters.ts';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The body of docs/verdicts.md: how a verdict is made, with its tables as the code has them. */
export function verdictsBody(table: Table): string {
  return [
    'A plot is looked at through every layer of the catalogue that covers it. Each layer gives votes; the votes on a question make an indicator; the indicators walk a decision tree. The answer of `/fetch_deforestation_check` holds the whole way in `convergence`.',
    'It stands next to `eudr_status` and `risk_level`, which are what one map of forest and one map of losses say, as before. Where the two differ, `eudr_comment` says so. Neither is a legal finding: maps support due diligence, they do not replace it.',
    '## Votes',
    table(
      ['field of a vote', 'meaning'],
      [
        ['`indicator`', 'the question'],
        ['`state`', '`yes`, `no` or `unknown`; `reason` says why it is unknown'],
        ['`dataset`, `version`, `date`, `age_years`', 'who says it, and how old it is on the last day of the period'],
        ['`area_ha`, `share`', 'hectares for which the answer is yes, each pixel by the part of it inside the plot'],
        [
          '`embeddings`',
          'dataset, version and year that a [detection head](#detection-heads) was evaluated on; null: a map',
        ],
        ['`covered_share`', 'the part of the plot where the dataset has data'],
        ['`contract`', 'what was known of the [contract](datasets.md) of the dataset when it was read'],
        ['`counts`', 'false: it is shown, and the verdict does not depend on it'],
      ],
    ),
    `The shares are those of the published trees: more than ${percent(VOTE_THRESHOLDS.polygon.against.yesAbove)} of a plot with an outline. Of a point any value above 0 counts.`,
    thresholds(table),
    [
      'Between the two a vote is `unknown`. Where a dataset covers a part of the plot, the rest is taken as the answer that would change the vote: it is `yes` or `no` only where the rest makes no difference.',
      'A point stands for a circle of its area. A crop on a small part of the circle does not clear it, because the plot may be the other part.',
    ].join(' '),
    [
      '- Less than one pixel of 30 m (0.09 ha) and than 5 % of the plot is its edge, and `unknown`.',
      '- A map of a later year than 2020 cannot say that a crop grew there on 2020-12-31, nor that no forest did: such a vote is `unknown` and not counted. The other answer counts. (A published input takes palm planted in 2021 for palm of 2020.)',
      '- A map of losses that ends more than a year before the period does, or begins after the years of the question, counts only where it finds one.',
      '- A source that failed, has no data there or moved gives `unknown` with the reason. A layer that does not reach the plot does not vote.',
      '- On ground of synthetic layers real ones do not vote, and the comment says that the data is made up.',
    ].join('\n'),
    '## Indicators',
    'An indicator is `yes` when any vote is, as published. It is `no` only when there is a vote and all of them are `no`: a vote that is unknown may have been a yes. `indicators` lists which datasets say yes, which no, and which are silent, and whether they disagree (`agreement`).',
    table(
      ['indicator', 'a "yes" says that', 'published as', 'can'],
      INDICATORS.map((name) => {
        const { says, published, direction } = INDICATOR_RULES[name];
        return [`\`${name}\``, says, published ?? 'not published', DIRECTIONS[direction]];
      }),
    ),
    '`natural_land` and `protected_land` decide nothing: no published tree uses them. Conversion of natural land is no deforestation under the regulation, and a protected area is a question of legality.',
    '## Trees',
    'The crop group follows the commodity of the plot. Rows are walked from the top, and the first one that holds decides; an indicator that is not named may be anything.',
    ...CROP_GROUPS.flatMap((group) => treeText(group, table)),
    '## What is unknown',
    'The published trees take missing data for "no", so that a plot outside every map is low. Here every unknown indicator is tried both ways. Where all ways lead to the same verdict, it is given; else the verdict is `more_information_needed`, with `is_open`, and `rules` lists those that could hold. So `low` and `high` never rest on what nobody looked at, and a vote that becomes unknown leaves a verdict as it is or makes it `more_information_needed`.',
    '`would_change` lists every single vote that would lead to another verdict if it were turned, with that verdict. An entry without datasets is a question that no layer answers: that layer is worth adding.',
    '## Where we depart from the published trees',
    table(
      ['published', 'here', 'why'],
      [
        ['missing data is "no"', '`unknown`; the verdict is open where it decides', 'nobody looked'],
        [
          '`perennial-3` clears a plot that was disturbed before 2020, whatever was lost since',
          'followed, but only where losses after 2020 were looked at; `eudr_status` shows them',
          'a known weak point: forest that grew again before 2020 is forest. Look at `would_change` and the comment',
        ],
        [
          'maps of all commodities clear every crop',
          `a map of a commodity counts for its own group: ${CROP_GROUPS.map((group) => `${group} by ${COUNTED_GROUPS[group].join(', ')}`).join('; ')}`,
          'a map of soy would clear cocoa. Votes of the others are shown with `counts: false`',
        ],
        ['a point is one pixel', 'a circle of its area', 'the plot is more than the pixel under the point'],
        [
          'no tree of cattle',
          'the tree of annual crops, with pasture in place of crops',
          'what is published is a placeholder. Without a map of pasture of 2020 a plot with forest is open',
        ],
        [
          'inputs of indicator 1: JRC, primary forest, TMF',
          'also tree cover of Hansen and of WorldCover',
          'any of them can find forest that JRC does not; plantations among their trees lead to more questions, never to fewer',
        ],
      ],
    ),
    'Where no commodity is known all trees are walked, and the verdict is what they agree on.',
    '## Layers',
    'These vote by default, with the layers of the sample district on its ground:',
    table(['dataset', 'votes on'], publicLayers()),
    '`glad-dist-alert` votes on `disturbance_after_2020` in a way of its own: alerts that are sure are a yes, others make the vote `unknown`, and it never says no. See [alerts of disturbance](datasets.md#alerts-of-disturbance).',
    'Maps of crops of 2020, pasture, concessions, protected and natural land do not come by default: no public address serves them in a form that can be read by parts. Add yours to the [catalogue](detection-models.md#maps-in-place-of-a-head). A raster of any role votes when its entry says how:',
    ['```json', JSON.stringify(OWN_LAYERS, null, 2), '```'].join('\n'),
    [
      '- `votes`: up to 7 questions. `indicator` is one of the table above; a pixel is a yes when its value is one of `classes`, or from `from` to `to`, both included (`to` may be left out). `commodity` limits a map of crops to its crop.',
      '- Without `votes`, a `forest-mask` votes on `forest_2020` by its `threshold` or `classes`, less the losses of `lessLossOf`; a `loss-year` on disturbance before and after by its years; a `commodity-map` on `commodities_2020`, `protected-land` and `natural-land` on their own, by `threshold` or `classes`.',
      '- The role `evidence` does nothing but vote. `date` decides whether it can speak of 2020-12-31. `nodata`, `band` and tiles as in [statistics](statistics.md#your-own-rasters).',
      '- Layers are rasters. Burn outlines of protected areas into one: `gdal_rasterize -burn 1 -tr 0.0001 0.0001 -ot Byte -co TILED=YES -co COMPRESS=DEFLATE parks.gpkg parks.tif`.',
    ].join('\n'),
    '### Detection heads',
    `Installed [detection heads](detection-models.md) of a commodity vote on \`commodities_2020\`, over the embeddings of ${HEAD_YEAR} that the catalogue lists. That year is requested by name: a dataset that has other years alone does not vote.`,
    [
      `- The share is that of the ground whose pixels reach the threshold of the head (\`dataset\` and \`version\` are those of the head), each by its part inside the plot. It is not corrected for what the head is known to err: the thresholds above are those of maps, which are not either.`,
      `- Up to ${MOST_HEAD_PIXELS.toLocaleString('en')} pixels of 10 m (about ${Math.round(MOST_HEAD_PIXELS / 100)} ha) all are evaluated; of a larger plot every n-th row and column, and the vote is \`unknown\` where the interval of the sample (Wilson, 95 %) reaches over the threshold. Plots above ${LARGEST_HEAD_HA.toLocaleString('en')} ha are \`unknown\`.`,
      '- The first embeddings in the catalogue that reach the plot answer. Where they cannot be read the next are tried; where none can, or the file of the head is damaged, the vote is `unknown` with the reason. Pixels without data count as ground that nobody looked at.',
      '- A head does not vote beyond its latitudes or the ground it was fitted on, and is `unknown` where only a part of the plot lies beyond. Heads that were fitted on synthetic embeddings vote on those alone, the others on real ones.',
      '- As with maps a head counts for its own crop group. Heads of `plantation` and `built-up` do not vote: they are not about a commodity.',
      '- Without an installed head of a commodity nothing is read. With some, every plot takes each head about 5 ms a hectare, and embeddings at a public address cost tens of megabytes for each 10 km, which are kept in the cache. A dataset that fails on three plots in a row is not tried again for the other plots that are measured together, up to 500. `firstmile models install` fetches the published heads.',
    ].join('\n'),
    '## Before and after',
    `The plots that developers have, by one map (\`eudr_status\`) and by all layers, as \`tools/verdicts/measure-plots.ts\` found them, up to ${PLOTS.until}. Layers that were there: ${PLOTS.layers.map((name) => `\`${name}\``).join(', ')}, which cover a part of the plot of the last file alone; nobody looked at the others. The published trees, which take missing data for "no", would call every one of those low. With a network, \`--public\` adds the layers above.`,
    table(
      ['file', 'commodity', 'plots', 'votes', 'before', 'after', 'why'],
      PLOTS.rows.map(({ file, commodity, plots, votes, before, after, reason }) => [
        `\`${file}\``,
        commodity ?? 'not stated',
        String(plots),
        String(votes),
        `\`${before}\``,
        `\`${after}\``,
        reason,
      ]),
    ),
    '`firstmile verdict FILE -c COMMODITY` does the same for yours, without a running service.',
  ].join('\n\n');
}

const DIRECTIONS = { against: 'speak against the plot', clears: 'clear it', shown: 'is shown' } as const;

const OWN_LAYERS = [
  {
    id: 'tmf-2020',
    role: 'evidence',
    kind: 'cog',
    path: 'tmf/AnnualChange_2020_{ns}{lat}_{ew}{lon}.tif',
    version: '2025',
    date: '2020-12-31',
    licence: 'CC-BY-4.0',
    attribution: 'EC JRC, Vancutsem et al. 2021',
    options: {
      votes: [
        { indicator: 'forest_2020', classes: [1, 2] },
        { indicator: 'primary_forest_2020', classes: [1] },
      ],
    },
  },
  {
    id: 'tmf-deforestation',
    role: 'evidence',
    kind: 'cog',
    path: 'tmf/DeforestationYear_{ns}{lat}_{ew}{lon}.tif',
    version: '2025',
    date: '2025',
    licence: 'CC-BY-4.0',
    attribution: 'EC JRC, Vancutsem et al. 2021',
    options: {
      votes: [
        { indicator: 'disturbance_before_2020', from: 2001, to: 2020 },
        { indicator: 'disturbance_after_2020', from: 2021 },
      ],
    },
  },
  {
    id: 'parks',
    role: 'protected-land',
    kind: 'cog',
    path: 'parks.tif',
    version: '2026-10',
    date: '2026-10',
    licence: 'own',
    attribution: 'Ministry of the Environment',
    options: { classes: [1], nodata: 'absent' },
  },
];

function thresholds(table: Table): string {
  return table(
    ['ground', 'indicators that', '`yes` above', '`no` up to'],
    (['polygon', 'circle'] as const).flatMap((ground) =>
      (['against', 'clears', 'shown'] as const).map((direction) => {
        const { yesAbove, noUpTo } = VOTE_THRESHOLDS[ground][direction];
        return [
          ground === 'polygon' ? 'outline' : 'point',
          DIRECTIONS[direction].replace('is shown', 'are shown'),
          percent(yesAbove),
          percent(noUpTo),
        ];
      }),
    ),
  );
}

function treeText(group: (typeof CROP_GROUPS)[number], table: Table): string[] {
  const { source, rules }: Tree = TREES[group];
  return [
    `### ${group[0].toUpperCase()}${group.slice(1)}`,
    `Source: ${source}.`,
    table(
      ['rule', 'holds where', 'verdict'],
      rules.map((rule) => [`\`${rule.id}\``, conditionText(rule), `\`${rule.verdict}\``]),
    ),
  ];
}

function conditionText({ when, needs = [] }: Rule): string {
  const conditions = when.map((condition) =>
    Object.entries(condition)
      .map(([indicator, state]) => `\`${indicator}\` ${state}`)
      .join(', '),
  );
  const needed = needs.map((indicator) => `; \`${indicator}\` must be known`).join('');
  return `${conditions.every((text) => text === '') ? 'no row above does' : conditions.join('; or ')}${needed}`;
}

function publicLayers(): readonly (readonly string[])[] {
  return PUBLIC_RASTERS.flatMap((dataset) => {
    const spec = voteRaster(dataset);
    return spec === null
      ? []
      : [[`\`${dataset.id}\``, spec.rules.map(({ indicator }) => `\`${indicator}\``).join(', ')]];
  });
}

function percent(share: number): string {
  return `${share * 100} %`;
}
