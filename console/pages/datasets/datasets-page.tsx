import { attributionText } from '../../map/attribution-text.ts';
import { useMemo } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { call, type Answer } from '../../api/client.ts';
import { boxPolygon } from '../../map/box-polygon.ts';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import type { LegendPart } from '../../map/legend-entry.ts';
import { theme } from '../../state/theme.ts';
import { boxOfCoverage, type CoverageShape } from '../../map/coverage.ts';
import { MapView } from '../../map/map-view.tsx';
import { SearchField } from '../../parts/filter-bar.tsx';
import { Empty } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { formatMoment, formatNumber, t, tWord } from '../../text/translate.ts';

type Dataset = Answer<'getDatasets'>['datasets'][number];

/** Where the answers come from: each dataset with version, licence, attribution and the ground it covers. */
export function DatasetsPage() {
  const [loaded, reload] = useLoad('datasets', (signal) => call('getDatasets', { signal }));
  const id = param('id');
  const role = param('role') ?? '';
  const text = (param('q') ?? '').toLowerCase();
  const all = loaded.state === 'ready' ? loaded.value.datasets : [];
  const shown = useMemo(
    () => all.filter((dataset) => (role === '' || dataset.role === role) && searched(dataset).includes(text)),
    [loaded, role, text],
  );
  const chosen = all.find((dataset) => dataset.id === id) ?? null;
  const data = useMemo(() => coverageData(shown, chosen), [shown, chosen]);
  const fit = chosen === null ? null : widened(boxOfCoverage(chosen.coverage as CoverageShape));
  const roles = [...new Set(all.map((dataset) => dataset.role))].sort();

  return (
    <div class="split wide-side">
      <div class="split-side">
        <header class="page-head">
          <h1>{t('datasets.title')}</h1>
          <p class="muted">{t('datasets.lead')}</p>
        </header>
        <div class="filters bare" role="search" aria-label={t('datasets.filter')}>
          <select
            aria-label={t('datasets.role')}
            value={role}
            onChange={(event) => setParams({ role: event.currentTarget.value })}
          >
            <option value="">{t('datasets.anyRole')}</option>
            {roles.map((name) => (
              <option key={name} value={name}>
                {tWord('role', name)}
              </option>
            ))}
          </select>
          <SearchField label={t('datasets.search')} />
        </div>
        <WhenLoaded loaded={loaded} onAgain={reload}>
          {() =>
            shown.length === 0 ? (
              <Empty title={t('datasets.none')} />
            ) : (
              <ul class="datasets">
                {shown.map((dataset) => (
                  <DatasetCard
                    key={`${dataset.id} ${dataset.version}`}
                    dataset={dataset}
                    isChosen={dataset === chosen}
                  />
                ))}
              </ul>
            )
          }
        </WhenLoaded>
      </div>
      <div class="split-map">
        <MapView
          label={t('datasets.mapLabel', { count: formatNumber(shown.length) })}
          sources={SOURCES}
          layers={layersOf}
          data={data}
          fit={fit}
          pick={['coverage']}
          legend={[legendOf(theme.value)]}
          onClick={({ features }) => {
            const name = features[0]?.['id'];
            if (typeof name === 'string') setParams({ id: name });
          }}
        />
      </div>
    </div>
  );
}

function legendOf(name: MapTheme): LegendPart {
  const { accent, counted } = MAP_COLOURS[name];
  return {
    key: 'datasets',
    title: t('home.legend'),
    entries: [
      { key: 'coverage', text: t('map.dataset'), mark: { kind: 'area', fill: accent, opacity: 0.08, edge: accent } },
      { key: 'chosen', text: t('map.chosen'), mark: { kind: 'area', fill: counted, opacity: 0.16, edge: counted } },
      { key: 'mapped', text: t('map.mapped'), mark: { kind: 'area', fill: counted, opacity: 0.4 } },
    ],
  };
}

function DatasetCard({ dataset, isChosen }: { readonly dataset: Dataset; readonly isChosen: boolean }) {
  const { id, role, kind, version, date, licence, attribution, synthetic } = dataset;
  return (
    <li class="dataset" data-chosen={isChosen}>
      <button
        type="button"
        class="dataset-head"
        aria-pressed={isChosen}
        onClick={() => setParams({ id: isChosen ? null : id, map: null })}
      >
        <span class="dataset-id">{id}</span>
        <span class="tag">{tWord('role', role)}</span>
        {synthetic && <span class="tag">{t('synthetic')}</span>}
      </button>
      <dl class="pairs">
        <Pair
          name={t('datasets.version')}
          value={date === null || date === version ? version : `${version} (${date})`}
        />
        <Pair name={t('datasets.licence')} value={licence} />
        <Pair name={t('datasets.attribution')} value={attributionText(attribution)} />
        <Pair name={t('datasets.kind')} value={kind} />
        <Pair name={t('datasets.coverage')} value={coverageText(dataset)} />
        {dataset.contract !== null && <Pair name={t('datasets.contract')} value={contractText(dataset.contract)} />}
        {dataset.mapped !== null && <Pair name={t('datasets.mapped')} value={mappedText(dataset.mapped)} />}
      </dl>
      {isChosen && dataset.mapped !== null && <p class="muted">{t('datasets.mappedMeans')}</p>}
    </li>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function searched({ id, role, licence, attribution }: Dataset): string {
  return `${id} ${role} ${licence} ${attribution}`.toLowerCase();
}

function isWorld(dataset: Dataset): boolean {
  const [west, south, east, north] = boxOfCoverage(dataset.coverage as CoverageShape);
  return east - west >= 359 && north - south >= 120;
}

function coverageText(dataset: Dataset): string {
  if (isWorld(dataset)) return t('datasets.world');
  const [west, south, east, north] = boxOfCoverage(dataset.coverage as CoverageShape).map((edge) => edge.toFixed(2));
  return t('datasets.box', { west: west ?? '', south: south ?? '', east: east ?? '', north: north ?? '' });
}

/** On how much of its ground a theme is mapped; never all of it where some is missing. */
function mappedText({
  measured,
  cells,
  mapped_cells: mapped,
  cell_degrees: cell,
}: NonNullable<Dataset['mapped']>): string {
  if (!measured || cell === null) return t('datasets.notMeasured');
  if (mapped === 0) return t('datasets.mappedNowhere');
  const share = mapped === cells ? 1 : Math.min(0.99, Math.max(0.01, mapped / cells));
  return t('datasets.mappedOn', {
    percent: `${formatNumber(Math.round(share * 100))} %`,
    km: formatNumber(Math.round(cell * 111)),
  });
}

/** Whether a dataset at an address is what it should be: when it last was, since when it is not, and who answered. */
function contractText({
  state,
  held_at: heldAt,
  failing_since: since,
  mirror,
}: NonNullable<Dataset['contract']>): string {
  const day = (iso: string | null): string => (iso === null ? t('datasets.never') : formatMoment(iso));
  if (state === 'held') return t('datasets.held', { time: day(heldAt), mirror: mirror ?? '' });
  if (state === 'broken') return t('datasets.broken', { time: day(since), held: day(heldAt) });
  if (state === 'unreachable') return t('datasets.unreachable', { time: day(since), held: day(heldAt) });
  return t(state === 'unstated' ? 'datasets.unstated' : 'datasets.unchecked');
}

const SOURCES = { coverage: {}, chosen: {}, mapped: {} };

/** Datasets of the whole world would cover everything else: they are drawn only when chosen. */
function coverageData(datasets: readonly Dataset[], chosen: Dataset | null): Record<string, FeatureCollection> {
  const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });
  return {
    coverage: collection(apart(datasets.filter((dataset) => !isWorld(dataset) && chosen === null)).map(outline)),
    chosen: collection(chosen === null ? [] : [outline(chosen)]),
    mapped: collection(chosen?.mapped?.area == null ? [] : [areaOf(chosen.id, chosen.mapped.area)]),
  };
}

/** One dataset for each ground: the layers of a pack cover the same. */
function apart(datasets: readonly Dataset[]): readonly Dataset[] {
  return [...new Map(datasets.map((dataset) => [JSON.stringify(dataset.coverage), dataset])).values()];
}

function outline({ id, coverage }: Dataset): Feature {
  const shape = coverage as CoverageShape;
  if (!('type' in shape)) return { ...boxPolygon(shape), properties: { id } };
  return { type: 'Feature', properties: { id }, geometry: shape as Feature['geometry'] };
}

function areaOf(id: string, area: unknown): Feature {
  return { type: 'Feature', properties: { id }, geometry: area as Feature['geometry'] };
}

function widened([west, south, east, north]: readonly [number, number, number, number]) {
  const room = Math.max(0.01, (east - west) * 0.1);
  return [
    Math.max(-180, west - room),
    Math.max(-80, south - room),
    Math.min(180, east + room),
    Math.min(80, north + room),
  ] as const;
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  return [
    { id: 'coverage', type: 'fill', source: 'coverage', paint: { 'fill-color': colours.accent, 'fill-opacity': 0.08 } },
    {
      id: 'coverage-lines',
      type: 'line',
      source: 'coverage',
      paint: { 'line-color': colours.accent, 'line-width': 1.2 },
    },
    { id: 'chosen', type: 'fill', source: 'chosen', paint: { 'fill-color': colours.counted, 'fill-opacity': 0.16 } },
    { id: 'mapped', type: 'fill', source: 'mapped', paint: { 'fill-color': colours.counted, 'fill-opacity': 0.3 } },
    { id: 'chosen-line', type: 'line', source: 'chosen', paint: { 'line-color': colours.counted, 'line-width': 2 } },
  ];
}
