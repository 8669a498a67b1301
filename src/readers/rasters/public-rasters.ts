import type { Dataset } from '../catalogue/dataset.ts';

const HANSEN = 'https://storage.googleapis.com/earthenginepartners-hansen/GFC-2025-v1.13/Hansen_GFC-2025-v1.13';
const HANSEN_TERMS = {
  kind: 'cog',
  coverage: { bbox: [-180, -60, 180, 80] },
  version: '1.13',
  licence: 'CC-BY-4.0',
  attribution:
    'Hansen/UMD/Google/USGS/NASA. Hansen, M. C. et al. 2013. High-Resolution Global Maps of 21st-Century Forest Cover Change. Science 342: 850-853.',
  synthetic: false,
  // 20S_070W. Each year's version has an address of its own, which nobody lists.
  contract: {
    mirrors: [],
    sentinel: [-65, -25],
    expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
    newest: 'fixed',
  },
} as const;

const DIST_ALERT = 'https://storage.googleapis.com/earthenginepartners-hansen/DIST-ALERT';
const DIST_ALERT_TERMS = {
  kind: 'cog',
  coverage: { bbox: [-180, -60, 180, 80] },
  // The files are replaced as images come in.
  version: 'current',
  date: null,
  licence: 'not stated at its address (other maps of its makers: CC-BY-4.0)',
  attribution: 'GLAD, University of Maryland, and NASA OPERA: DIST-ALERT.',
  synthetic: false,
} as const;
// In zone 36, the Great Lakes of Africa.
const DIST_ALERT_SENTINEL = [33, 0.5] as const;

const WORLDCOVER = 'https://esa-worldcover.s3.eu-central-1.amazonaws.com';
const WORLDCOVER_TERMS = {
  kind: 'cog',
  coverage: { bbox: [-180, -60, 180, 84] },
  licence: 'CC-BY-4.0',
  synthetic: false,
  // N39E012.
  contract: {
    mirrors: [],
    sentinel: [13, 40],
    expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
    newest: 'fixed',
  },
} as const;

/**
 * Rasters at their public addresses that plots are measured on, in the order in which they are queried: the forest map of
 * 2020 before the tree cover of 2000 less what was lost since, and the tree cover of 2020 after both. Tiles of 10 degrees are
 * named by their upper left corner, those of 3 degrees by their lower left one.
 */
export const PUBLIC_RASTERS = [
  {
    id: 'jrc-gfc2020',
    role: 'forest-mask',
    kind: 'cog',
    url: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/FOREST/GFC2020/LATEST/tiles/JRC_GFC2020_V4_{ns}{lat}_{ew}{lon}.tif',
    coverage: { bbox: [-180, -60, 180, 80] },
    version: '4',
    date: '2020-12-31',
    licence: 'European Commission reuse notice (Decision 2011/833/EU)',
    attribution:
      'European Commission, Joint Research Centre: Bourgoin, C. et al., Global map of forest cover 2020, version 4.',
    synthetic: false,
    contract: {
      mirrors: [],
      // N0_W70, in the west of the Amazon.
      sentinel: [-65, -5],
      expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
      // LATEST holds one version: the day the next one comes, the address of this one is gone.
      newest: {
        listing: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/FOREST/GFC2020/LATEST/tiles/',
        pattern: 'JRC_GFC2020_V(\\d+)_',
      },
    },
    // The files know forest and the rest of the land; where a file has no data, it is the rest.
    options: {
      classes: [1],
      nodata: 'absent',
      // As in the published trees, forest of any kind may be naturally regenerating.
      votes: [
        { indicator: 'forest_2020', classes: [1] },
        { indicator: 'regenerating_forest_2020', classes: [1] },
      ],
    },
  },
  {
    id: 'gfc-treecover2000',
    role: 'forest-mask',
    url: `${HANSEN}_treecover2000_{lat:2}{ns}_{lon:3}{ew}.tif`,
    date: '2000',
    // Per cent of the pixel under trees of 5 m and more; 30 is the threshold of most national reports.
    options: { threshold: 30, lessLossOf: 'gfc-lossyear' },
    ...HANSEN_TERMS,
  },
  {
    id: 'esa-worldcover-trees-2020',
    role: 'forest-mask',
    url: `${WORLDCOVER}/v100/2020/map/ESA_WorldCover_10m_2020_v100_{ns}{lat:2}{ew}{lon:3}_Map.tif`,
    version: '100',
    date: '2020',
    attribution:
      '© ESA WorldCover project 2020 / Contains modified Copernicus Sentinel data (2020) processed by ESA WorldCover consortium',
    // Trees and mangroves; plantations are among the trees.
    options: { classes: [10, 95], legend: 'esa-worldcover', tileDegrees: 3, tileCorner: 'lower-left' },
    ...WORLDCOVER_TERMS,
  },
  {
    id: 'esa-worldcover-built-up',
    role: 'built-up',
    url: `${WORLDCOVER}/v200/2021/map/ESA_WorldCover_10m_2021_v200_{ns}{lat:2}{ew}{lon:3}_Map.tif`,
    version: '200',
    date: '2021',
    attribution:
      '© ESA WorldCover project 2021 / Contains modified Copernicus Sentinel data (2021) processed by ESA WorldCover consortium',
    options: { classes: [50], nodata: 'unknown', tileDegrees: 3, tileCorner: 'lower-left' },
    ...WORLDCOVER_TERMS,
  },
  {
    id: 'jrc-gft2020-planted',
    role: 'plantation-mask',
    kind: 'cog',
    url: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/FOREST/GFT2020/LATEST/tiles/JRC_GFT2020_V1_{ns}{lat}_{ew}{lon}.tif',
    coverage: { bbox: [-180, -60, 180, 80] },
    version: '1',
    date: '2020-12-31',
    licence: 'CC-BY-4.0',
    attribution:
      'European Commission, Joint Research Centre: Global map of forest types 2020, version 1. doi:10.2905/JRC.C760PNG',
    synthetic: false,
    // 0 no forest, 1 naturally regenerating, 10 primary, 20 planted. Forest here is that of GFC2020 version 3.
    options: {
      classes: [20],
      nodata: 'absent',
      votes: [
        { indicator: 'regenerating_forest_2020', classes: [1] },
        { indicator: 'primary_forest_2020', classes: [10] },
        { indicator: 'planted_forest_2020', classes: [20] },
      ],
    },
    contract: {
      mirrors: [],
      // S30_E140, in the south-east of Australia.
      sentinel: [145, -35],
      expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
      newest: {
        listing: 'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/FOREST/GFT2020/LATEST/tiles/',
        pattern: 'JRC_GFT2020_V(\\d+)_',
      },
    },
  },
  {
    id: 'gfc-lossyear',
    role: 'loss-year',
    url: `${HANSEN}_lossyear_{lat:2}{ns}_{lon:3}{ew}.tif`,
    date: '2025',
    options: { baseYear: 2000, lastYear: 2025 },
    ...HANSEN_TERMS,
  },
  {
    id: 'glad-dist-alert',
    role: 'alerts',
    // Disturbance of vegetation, one file a UTM zone.
    url: `${DIST_ALERT}/VEG-DIST-STATUS/{zone:2}.tif`,
    options: { dates: 'glad-dist-alert-dates' },
    contract: {
      mirrors: [],
      sentinel: DIST_ALERT_SENTINEL,
      expect: { bands: 1, sampleType: 'uint8' },
      newest: 'in-place',
    },
    ...DIST_ALERT_TERMS,
  },
  {
    id: 'glad-dist-alert-dates',
    role: 'alert-dates',
    url: `${DIST_ALERT}/VEG-DIST-DATE/{zone:2}.tif`,
    options: { epoch: '2020-12-31' },
    contract: {
      mirrors: [],
      sentinel: DIST_ALERT_SENTINEL,
      expect: { bands: 1, sampleType: 'int16' },
      newest: 'in-place',
    },
    ...DIST_ALERT_TERMS,
  },
  {
    id: 'esa-cci-biomass',
    role: 'biomass',
    kind: 'cog',
    url: 'https://dap.ceda.ac.uk/neodc/esacci/biomass/data/agb/maps/v6.0/geotiff/{year}/{ns}{lat:2}{ew}{lon:3}_ESACCI-BIOMASS-L4-AGB-MERGED-100m-{year}-fv6.0.tif',
    coverage: { bbox: [-180, -60, 180, 80] },
    version: '6.0',
    date: '2022',
    licence: 'ESA CCI Data Policy: free and open access',
    attribution:
      'Santoro, M.; Cartus, O. (2025): ESA Biomass Climate Change Initiative (Biomass_cci): Global datasets of forest above-ground biomass, v6.0. NERC EDS Centre for Environmental Data Analysis. doi:10.5285/95913ffb6467447ca72c4e9d8cf30501',
    synthetic: false,
    // N40W130.
    contract: { mirrors: [], sentinel: [-125, 35], expect: { bands: 1, crs: 'EPSG:4326' }, newest: 'fixed' },
    options: { years: [2007, 2010, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022], nodata: 'absent' },
  },
  {
    id: 'meta-chm-v2',
    role: 'canopy-height',
    kind: 'cog',
    url: 'https://dataforgood-fb-data.s3.amazonaws.com/forests/v2/global/dinov3_global_chm_v2_ml3/chm/{quadkey}.tif',
    coverage: { bbox: [-180, -60, 180, 80] },
    version: '2',
    // Images of several years.
    date: null,
    licence: 'CC-BY-4.0',
    attribution: 'Meta and World Resources Institute: High Resolution Canopy Height Maps, version 2.',
    synthetic: false,
    // Metres; pixels of about one metre, so that a large plot would take hundreds of megabytes.
    options: { tileZoom: 10, nodata: 'unknown', nodataValue: 255, largestHa: 2_000 },
    contract: {
      mirrors: [],
      sentinel: '1321121310.tif',
      expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:3857' },
      newest: 'fixed',
    },
  },
] as const satisfies readonly Dataset[];
