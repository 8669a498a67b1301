import { useMemo, useState } from 'preact/hooks';
import type { LayerSpecification } from 'maplibre-gl';
import { call } from '../../api/client.ts';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import type { LegendPart } from '../../map/legend-entry.ts';
import type { Box } from '../../map/box-polygon.ts';
import { MapView } from '../../map/map-view.tsx';
import { SearchField } from '../../parts/filter-bar.tsx';
import { Empty } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { theme } from '../../state/theme.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { DatasetCard } from './dataset-card.tsx';
import { boxOf } from './dataset.ts';
import { knownGround } from './known-ground.ts';
import type { Dataset } from './listed-dataset.ts';
import { MissingHere } from './missing-here.tsx';
import { ThemeList } from './theme-list.tsx';

/** Where the answers come from: what is known where by theme, what is missing in view, and each dataset with its licence. */
export function DatasetsPage() {
  const [loaded, reload] = useLoad('datasets', (signal) => call('getDatasets', { signal }));
  const [view, setView] = useState<Box | null>(null);
  const id = param('id');
  const role = param('role') ?? '';
  const text = (param('q') ?? '').toLowerCase();
  const all = loaded.state === 'ready' ? loaded.value.datasets : [];
  const shown = useMemo(
    () => all.filter((dataset) => (role === '' || dataset.role === role) && searched(dataset).includes(text)),
    [loaded, role, text],
  );
  const chosen = all.find((dataset) => dataset.id === id) ?? null;
  const data = useMemo(
    () => (chosen === null ? knownGround(shown, role !== '') : knownGround([chosen], true)),
    [shown, chosen, role],
  );

  return (
    <div class="split wide-side">
      <div class="split-side">
        <header class="page-head">
          <h1>{t('datasets.title')}</h1>
          <p class="muted">{t('datasets.lead')}</p>
        </header>
        <WhenLoaded loaded={loaded} onAgain={reload}>
          {() => (
            <>
              <MissingHere view={view} />
              <ThemeList datasets={all} chosen={role} view={view} />
              <div class="filters bare" role="search" aria-label={t('datasets.filter')}>
                <RoleChoice datasets={all} role={role} />
                <SearchField label={t('datasets.search')} />
              </div>
              {shown.length === 0 ? (
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
              )}
            </>
          )}
        </WhenLoaded>
      </div>
      <div class="split-map">
        <MapView
          label={t('datasets.mapLabel', { count: formatNumber(shown.length) })}
          sources={SOURCES}
          layers={layersOf}
          data={data}
          fit={chosen === null ? null : widened(boxOf(chosen))}
          pick={['spots', 'coverage']}
          legend={[legendOf(theme.value, role)]}
          onView={setView}
          onClick={({ features }) => {
            const name = features[0]?.['id'];
            if (typeof name === 'string') setParams({ id: name });
          }}
        />
      </div>
    </div>
  );
}

function RoleChoice({ datasets, role }: { readonly datasets: readonly Dataset[]; readonly role: string }) {
  const roles = [...new Set(datasets.map((dataset) => dataset.role))].sort();
  return (
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
  );
}

function legendOf(name: MapTheme, role: string): LegendPart {
  const { accent, counted } = MAP_COLOURS[name];
  return {
    key: 'datasets',
    title: role === '' ? t('home.legend') : tWord('role', role),
    entries: [
      { key: 'known', text: t('map.mapped'), mark: { kind: 'area', fill: counted, opacity: 0.3 } },
      {
        key: 'coverage',
        text: t('map.dataset'),
        mark: { kind: 'area', fill: accent, opacity: 0.06, edge: accent },
      },
      { key: 'spot', text: t('map.spot'), mark: { kind: 'dot', colour: counted, edge: accent } },
    ],
  };
}

function searched({ id, role, licence, attribution }: Dataset): string {
  return `${id} ${role} ${tWord('role', role)} ${licence} ${attribution}`.toLowerCase();
}

const SOURCES = { coverage: {}, known: {}, spots: {} };
/** From here on the ground of a pack is larger than its spot. */
const SPOTS_UNTIL = 6;

function widened([west, south, east, north]: Box): Box {
  const room = Math.max(0.01, (east - west) * 0.1);
  return [
    Math.max(-180, west - room),
    Math.max(-80, south - room),
    Math.min(180, east + room),
    Math.min(80, north + room),
  ];
}

function layersOf(name: MapTheme): LayerSpecification[] {
  const { accent, counted } = MAP_COLOURS[name];
  return [
    { id: 'coverage', type: 'fill', source: 'coverage', paint: { 'fill-color': accent, 'fill-opacity': 0.06 } },
    { id: 'known', type: 'fill', source: 'known', paint: { 'fill-color': counted, 'fill-opacity': 0.3 } },
    {
      id: 'coverage-lines',
      type: 'line',
      source: 'coverage',
      paint: { 'line-color': accent, 'line-width': 1.5 },
    },
    {
      id: 'spots',
      type: 'circle',
      source: 'spots',
      maxzoom: SPOTS_UNTIL,
      paint: { 'circle-radius': 5, 'circle-color': counted, 'circle-stroke-color': accent, 'circle-stroke-width': 2 },
    },
  ];
}
