import { ConfigError, type Config } from '../../config/settings.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Log } from '../../log.ts';
import { builtInDatasets } from '../../readers/built-in/built-in-datasets.ts';
import { CatalogueError, openCatalogue, type Catalogue } from '../../readers/catalogue/catalogue.ts';
import type { Coverage, Dataset, DatasetKind, DatasetRole } from '../../readers/catalogue/dataset.ts';
import { outlineMapped, type Mapped, type MappedCells } from '../../readers/themes/mapped-cells.ts';
import { LAYER_ROLES } from '../../readers/packs/layer/layer-plan.ts';
import { PUBLIC_EMBEDDINGS } from '../../readers/embeddings/public-datasets.ts';
import { sampleDatasets, samplePackDatasets } from '../../readers/sample-district/sample-datasets.ts';
import { PUBLIC_RASTERS } from '../../readers/rasters/public-rasters.ts';
import { RASTER_ROLES } from '../../readers/rasters/raster-spec.ts';
import { VOTING_ROLES } from '../../readers/rasters/vote-spec.ts';
import { sampleParcelDatasets } from '../../readers/sample-district/sample-parcels.ts';
import { sampleRegistryDataset } from '../../readers/sample-district/sample-producers.ts';
import { sampleCropDatasets } from '../../readers/sample-district/sample-crops.ts';
import { sampleRasterDatasets } from '../../readers/sample-district/sample-rasters.ts';
import { ownHeadDatasets } from '../detection/heads.ts';
import { MAP_ROLES } from '../detection/maps.ts';
import { modelDatasets } from '../models/installed-models.ts';
import { liveDatasets, type LiveDatasetConfig } from '../world/live-datasets.ts';
import { registryDatasets } from './registries.ts';
import { installedDatasets } from './pack-folder.ts';

/** A dataset as `/datasets` and `firstmile data list` show it. */
export interface DatasetInfo {
  readonly id: string;
  readonly role: string;
  readonly kind: string;
  readonly version: string;
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  /** West, south, east, north in degrees, or polygons. */
  readonly coverage: readonly number[] | Geometry;
  readonly synthetic: boolean;
  /** Where the theme of a regional pack is mapped; null for a dataset that vouches for all its ground. */
  readonly mapped: MappedInfo | null;
  /** Cells of 0.1 degree of which it was fetched by itself; null for a dataset that was not. */
  readonly fetched_cells: number | null;
}

/** On which part of its ground a theme is mapped. Elsewhere nothing found is unknown, not absent. */
export interface MappedInfo {
  /** False for packs made before this was measured, which never say that there is nothing. */
  readonly measured: boolean;
  /** Cells of the ground, those where the theme is mapped, and degrees of a cell. */
  readonly cells: number;
  readonly mapped_cells: number;
  readonly cell_degrees: number | null;
  /** Where it is mapped, to be drawn: in cells of `area_cell_degrees`, coarser where the outline would be long. Null: nowhere. */
  readonly area: Geometry | null;
  readonly area_cell_degrees: number | null;
}

/** The built-in datasets and those of the operator's file; throws `CatalogueError` that lists everything wrong with it. */
export async function openServiceCatalogue(config: CatalogueConfig & LiveDatasetConfig, log: Log): Promise<Catalogue> {
  const live = [
    ...liveDatasets(config),
    ...(await registryDatasets(config)),
    ...(config.sampleDistrict ? [sampleRegistryDataset()] : []),
    ...(await modelDatasets(config)),
    ...ownHeadDatasets(),
  ];
  const { datasets: packs, faults } = await installedDatasets(config);
  for (const { message } of faults) log.error({ fault: message }, 'a regional pack cannot be used');
  for (const pack of unmeasuredPacks(packs))
    log.warn(
      { pack },
      'a regional pack does not say where its themes are mapped and answers unknown for absent; import it again',
    );
  const catalogue = await readCatalogue(config, packs, live);
  for (const { id, role, kind } of catalogue.datasets)
    if (!isRead(kind, role) && !live.some((dataset) => dataset.id === id))
      log.warn(
        { dataset: id, role, kind },
        'nothing reads datasets of this kind yet; it is listed, but answers nothing',
      );
  return catalogue;
}

/** The datasets that forest lookups read, in the order in which they are queried; throws like `openServiceCatalogue`. */
export async function forestDatasets(config: CatalogueConfig): Promise<readonly Dataset[]> {
  return forestDatasetsOf((await readCatalogue(config)).datasets);
}

/** Those of a catalogue that forest lookups read. */
export function forestDatasetsOf(datasets: readonly Dataset[]): readonly Dataset[] {
  return datasets.filter(({ role }) => FOREST_ROLES.includes(role));
}

/** The datasets that parcel searches read, in the order in which they are queried; throws like `openServiceCatalogue`. */
export async function parcelDatasets(config: CatalogueConfig & LiveDatasetConfig): Promise<readonly Dataset[]> {
  const { datasets: packs } = await installedDatasets(config);
  const { datasets } = await readCatalogue(config, packs, liveDatasets(config));
  return datasets.filter(({ role }) => role === 'parcels');
}

const FOREST_ROLES: readonly DatasetRole[] = ['embeddings', 'forest-labels'];
const PLOT_ROLES: readonly DatasetRole[] = [...RASTER_ROLES, ...VOTING_ROLES, 'embeddings'];

function isRead(kind: DatasetKind, role: DatasetRole): boolean {
  return (
    kind === 'package' ||
    FOREST_ROLES.includes(role) ||
    (kind === 'flatgeobuf' && PACK_ROLES.includes(role)) ||
    (kind === 'cog' && (MAP_ROLES.includes(role) || PLOT_ROLES.includes(role))) ||
    (role === 'parcels' && PARCEL_KINDS.includes(kind))
  );
}

/** How parcels can be read. */
const PARCEL_KINDS: readonly DatasetKind[] = ['flatgeobuf', 'geojson', 'service'];

/** What FlatGeobuf files, of packs or of the operator, are used for. */
const PACK_ROLES: readonly DatasetRole[] = [...LAYER_ROLES, 'settlements'];

/** The settings that a catalogue depends on. */
export type CatalogueConfig = Pick<Config, 'catalogue' | 'dataDir' | 'sampleDistrict'> &
  Partial<Pick<Config, 'publicData' | 'publicRasters'>>;

async function readCatalogue(
  config: CatalogueConfig,
  packs: readonly Dataset[] = [],
  live: readonly Dataset[] = [],
): Promise<Catalogue> {
  const sample = config.sampleDistrict
    ? [
        ...samplePackDatasets(config.dataDir),
        ...sampleParcelDatasets(config.dataDir),
        ...sampleDatasets(config.dataDir),
        ...sampleRasterDatasets(config.dataDir),
      ]
    : [];
  const builtIn: readonly Dataset[] = [
    ...packs,
    ...sample,
    ...Object.values(builtInDatasets()),
    ...live,
    // After the heads among these, which answer before it.
    ...(config.sampleDistrict ? sampleCropDatasets(config.dataDir) : []),
    ...(config.publicData === false ? [] : PUBLIC_EMBEDDINGS),
    ...(config.publicData === false || config.publicRasters === false ? [] : PUBLIC_RASTERS),
  ];
  return await openCatalogue(builtIn, config.catalogue).catch((error: unknown) => {
    if (error instanceof CatalogueError) throw new ConfigError(`CATALOGUE: ${error.message}`, { cause: error });
    throw error;
  });
}

export function datasetInfo({
  id,
  role,
  kind,
  version,
  date,
  licence,
  attribution,
  coverage,
  synthetic,
  options,
}: Dataset): DatasetInfo {
  const mapped = isLayer(role) ? mappedInfo(options['mapped'] as Mapped | undefined) : null;
  const about = { id, role, kind, version, date, licence, attribution };
  return { ...about, coverage: coverageInfo(coverage), synthetic, mapped, fetched_cells: null };
}

/** Packs whose manifest does not say where their themes are mapped. */
function unmeasuredPacks(datasets: readonly Dataset[]): readonly unknown[] {
  return [
    ...new Set(
      datasets
        .filter(({ role, options }) => isLayer(role) && options['mapped'] === null)
        .map(({ options }) => options['pack']),
    ),
  ];
}

function isLayer(role: DatasetRole): boolean {
  return (LAYER_ROLES as readonly DatasetRole[]).includes(role);
}

/** What a manifest says of a theme, for people and for the map; null where its ground is vouched for. */
export function mappedInfo(mapped: MappedCells): MappedInfo;
export function mappedInfo(mapped: Mapped | undefined): MappedInfo | null;
export function mappedInfo(mapped: Mapped | undefined): MappedInfo | null {
  if (mapped === undefined || mapped === 'whole') return null;
  if (mapped === null)
    return { measured: false, cells: 0, mapped_cells: 0, cell_degrees: null, area: null, area_cell_degrees: null };
  const { cells, mapped: held, cell } = mapped;
  const outline = held === 0 ? null : outlineMapped(mapped);
  return {
    measured: true,
    cells,
    mapped_cells: held,
    cell_degrees: cell,
    area: outline === null ? null : { type: 'MultiPolygon', coordinates: outline.coordinates },
    area_cell_degrees: outline?.cell ?? null,
  };
}

function coverageInfo(coverage: Coverage): DatasetInfo['coverage'] {
  if ('bbox' in coverage) return coverage.bbox;
  return { type: 'MultiPolygon', coordinates: coverage.polygons.map((rings) => rings.map(positions)) };
}

function positions(ring: Float64Array): [number, number][] {
  return Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i] ?? 0, ring[2 * i + 1] ?? 0]);
}
