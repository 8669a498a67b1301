import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../../parts/notice.tsx';
import { VirtualTable, type Column } from '../../parts/virtual-table.tsx';
import { param, setParams } from '../../state/address.ts';
import { formatFixed, t, tWord } from '../../text/translate.ts';
import type { PlotFeature } from './collection.ts';

type Key = 'number' | 'name' | 'status' | 'area' | 'loss';

/** Plots with what was found, in an order of ones own; the chosen one is shown on the map and told about below. */
export function PlotsTable({ plots }: { readonly plots: readonly PlotFeature[] }) {
  const [sort, setSort] = useState<readonly [key: Key, descending: boolean]>(['number', false]);
  const sorted = useMemo(() => sortPlots(plots, ...sort), [plots, sort]);
  const chosen = param('plot') === null ? null : Number(param('plot'));
  const plot = plots.find(({ properties }) => properties.location_number === chosen);
  return (
    <div class="plots-list">
      <VirtualTable
        label={t('statistics.table')}
        rows={sorted}
        columns={columns()}
        idOf={({ properties }) => properties.location_number}
        sort={sort[0]}
        descending={sort[1]}
        onSort={(key, descending) => setSort([key as Key, descending])}
        selected={chosen}
        onSelect={({ properties }) => setParams({ plot: properties.location_number })}
        empty={<Empty title={t('statistics.noPlots')} />}
      />
      {plot !== undefined && (
        <div class="plot-detail" role="status">
          <p>
            <strong>{nameOf(plot)}</strong> {plot.properties.eudr_comment}
          </p>
          {plot.properties.problem !== null && <p>{plot.properties.problem}</p>}
          {plot.properties.check_reason !== null && <p class="muted">{plot.properties.check_reason}</p>}
        </div>
      )}
    </div>
  );
}

function nameOf({ id, properties }: PlotFeature): string {
  return String(properties['name'] ?? id ?? properties.location_number + 1);
}

function columns(): readonly Column<PlotFeature>[] {
  return [
    {
      key: 'number',
      title: '#',
      width: '48px',
      sortable: true,
      align: 'end',
      cell: ({ properties }) => <span class="muted">{properties.location_number + 1}</span>,
    },
    { key: 'name', title: t('column.name'), width: 'minmax(90px, 1fr)', sortable: true, cell: nameOf },
    {
      key: 'status',
      title: t('statistics.finding'),
      width: 'minmax(150px, 1.2fr)',
      sortable: true,
      cell: ({ properties: { eudr_status: status } }) => (
        <span data-eudr={status}>
          <span class="eudr-dot" aria-hidden="true" /> {tWord('eudr', status)}
        </span>
      ),
    },
    {
      key: 'area',
      title: 'ha',
      width: '76px',
      sortable: true,
      align: 'end',
      cell: ({ properties: { area_ha: area } }) => (area === null ? '–' : formatFixed(area, 2)),
    },
    {
      key: 'loss',
      title: t('statistics.afterShort'),
      width: '110px',
      sortable: true,
      align: 'end',
      cell: ({ properties: { noncompliance_area_ha: loss } }) => (loss === null ? '–' : formatFixed(loss, 2)),
    },
  ];
}

function sortPlots(plots: readonly PlotFeature[], key: Key, descending: boolean): readonly PlotFeature[] {
  const valueOf = (plot: PlotFeature): number | string => {
    const p = plot.properties;
    if (key === 'name') return nameOf(plot);
    if (key === 'status') return p.eudr_status;
    if (key === 'area') return p.area_ha ?? -1;
    return key === 'loss' ? (p.noncompliance_area_ha ?? -1) : p.location_number;
  };
  const sign = descending ? -1 : 1;
  return plots.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    return sign * (typeof first === 'string' ? first.localeCompare(String(second)) : first - Number(second));
  });
}
