/** A location as the examples of the reference show it. */
const LOCATION = {
  location_id: 'S-004',
  name: 'Synthetic block cleared in 2023',
  country: 'MY',
  commodity_type: 'palm',
  collection_id: '5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43',
  location_number: 3,
  location_type: 'plot',
  location_confidence: 'high',
  problem: null,
} as const;

const GROUND = { area_ha: 12.1005, measured_ground: 'polygon' } as const;
const PERIOD = { monitoring_start: '2020-12-31', monitoring_end: '2024-12-31' } as const;

function use(role: string, dataset: string) {
  return { role, dataset, version: 'sample-rasters-2', synthetic: true, covered_share: 1 };
}

function feature(properties: object): object {
  const coordinates = [
    [
      [102.61556, 4.58234],
      [102.61869, 4.58235],
      [102.61868, 4.58549],
      [102.61555, 4.58548],
      [102.61556, 4.58234],
    ],
  ];
  return {
    type: 'Feature',
    id: 'S-004',
    geometry: { type: 'Polygon', coordinates },
    properties: { ...LOCATION, ...properties },
  };
}

/** One of its votes, one of its indicators, and one that would change it: there are more. */
const CONVERGENCE = {
  verdict: 'high',
  crop_group: 'perennial',
  rules: ['perennial-5'],
  is_open: false,
  comment:
    'Convergence of evidence: high, by perennial-5 (forest 2020 yes, commodities 2020 no, disturbance before 2020 no, disturbance after 2020 yes). From synthetic data that describes no real place.',
  indicators: [
    {
      indicator: 'disturbance_after_2020',
      state: 'yes',
      agreement: 'single',
      yes: ['sample-district-losses', 'sample-district-losses in sample-district-forest'],
      no: [],
      silent: [],
    },
  ],
  votes: [
    {
      indicator: 'disturbance_after_2020',
      state: 'yes',
      dataset: 'sample-district-losses',
      version: 'sample-rasters-2',
      date: '2024',
      age_years: 0,
      synthetic: true,
      contract: 'local',
      commodity: null,
      embeddings: null,
      area_ha: 12.1005,
      share: 1,
      covered_share: 1,
      counts: true,
      reason: null,
    },
  ],
  would_change: [
    {
      indicator: 'forest_2020',
      datasets: ['sample-district-forest'],
      from: 'yes',
      to: 'no',
      verdict: 'low',
      rules: ['perennial-1'],
    },
  ],
} as const;

/** One line of each endpoint, from the sample district. */
export const FETCH_EXAMPLES = {
  deforestation_check: feature({
    locations_confidence: 'high',
    ...GROUND,
    plot_group: 'deforested',
    eudr_status: 'deforestation_found',
    risk_level: 'high',
    convergence_verdict: 'high',
    crop_group: 'perennial',
    eudr_comment:
      '12.1005 ha of 12.1005 ha of forest of 2020-12-31 lost in 2023. From synthetic data that describes no real place.',
    check_status: 'measured',
    check_reason: null,
    noncompliance_area_ha: 12.1005,
    deforestation_start: '2023-01-01',
    deforestation_end: '2023-12-31',
    baseline_forest_ha: 12.1005,
    years_looked_at: { from: 2021, to: 2024 },
    loss_ha_by_year: { 2023: 12.1005 },
    loss_in_baseline_ha_by_year: { 2023: 12.1005 },
    agreement: 'single',
    datasets: [use('forest-mask', 'sample-district-forest'), use('loss-year', 'sample-district-losses')],
    monitored_until: '2024-12-31',
    ...PERIOD,
    convergence: CONVERGENCE,
  }),
  biomass_emissions: feature({
    ...GROUND,
    luc_tco2eyear: 355.6173,
    luc_tco2ehayear: 29.3886,
    emissions_status: 'measured',
    emissions_reason: null,
    emissions_from_year: 2015,
    emissions_to_year: 2024,
    agb_t: 154.7015,
    agb_t_by_year: { 2015: 2015.6698, 2018: 2015.6698, 2020: 2015.6698, 2022: 1924.356, 2024: 154.7015 },
    datasets: [use('biomass', 'sample-district-biomass')],
    monitoring_start: '2017-01-01',
    monitoring_end: '2024-12-31',
  }),
  biodiversity: feature({
    ...GROUND,
    diversity_score: 0.0872,
    diversity_status: 'measured',
    diversity_reason: null,
    diversity_basis: 'canopy-height',
    diversity_year: 2025,
    datasets: [use('canopy-height', 'sample-district-canopy')],
  }),
  plots: feature({ plot_group: 'open' }),
  supply_shed: {
    type: 'Feature',
    id: 'M-001',
    geometry: { type: 'Point', coordinates: [102.612246, 4.5819034] },
    properties: {
      ...LOCATION,
      location_id: 'M-001',
      name: 'Kilang Sawit Contoh (synthetic)',
      location_number: 22,
      location_type: 'facility',
      locations_confidence: 'high',
      supply_shed_kind: 'radius',
      supply_shed_radius_m: 3000,
      supply_shed_problem: null,
      plots: 17,
      area_ha: 66.2075,
      baseline_forest_ha: 29.5288,
      noncompliance_area_ha: 29.5288,
      luc_tco2eyear: 1130.6551,
      years_looked_at: { from: 2021, to: 2024 },
      years_looked_at_counts: { 2021: 17, 2022: 17, 2023: 17, 2024: 17 },
      loss_ha_by_year: { 2021: 13.2644, 2022: 2.3306, 2023: 16.2644 },
      loss_in_baseline_ha_by_year: { 2021: 13.2644, 2023: 16.2644 },
      noncompliance_share: 0.446,
      baseline_forest_share: 0.446,
      luc_tco2ehayear: 17.0774,
      diversity_score: 0.2281,
      plot_group_counts: { deforested: 5, open: 2, cleared: 10 },
      eudr_status_counts: { deforestation_found: 5, no_deforestation_found: 12 },
      risk_level_counts: { high: 5, low: 12 },
      convergence_verdict_counts: { high: 5, low: 10, more_information_needed: 2 },
      commodity_type_counts: { cocoa: 6, palm: 6, rubber: 5 },
      risk_level_area_shares: { high: 0.446, low: 0.554 },
      overlap_area_ha: 0,
      overlaps_counted_once: true,
      overlaps_reason: null,
      datasets: [
        { role: 'forest-mask', dataset: 'sample-district-forest', version: 'sample-rasters-2', synthetic: true },
      ],
      nearest_plot_m: 284,
      farthest_plot_m: 2822,
      plot_collections: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
      plot_collections_of_same_file: 0,
      plot_collections_left_out: 0,
      ...PERIOD,
      plots_looked_at: 22,
      plots_without_place: 1,
    },
  },
} as const;
