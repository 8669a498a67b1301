import { t } from '../../text/translate.ts';
import { formatQuantity } from './format-quantity.ts';
import type { Totals } from './totals.ts';

/**
 * The totals as numbers, each with how many plots it leaves out; what nobody knows is said to be unknown. The area says what
 * overlapping plots share, and when they were not compared.
 */
export function TotalFigures({ totals }: { readonly totals: Totals }) {
  const { deforestation: d, emissions: e, diversity: b } = totals;
  const overlap = d.overlap_area_ha ?? 0;
  const figures = [
    ['area', d.area_ha, 'unit.ha', d.unknown['area_ha']],
    ['baseline', d.baseline_forest_ha, 'unit.ha', d.unknown['baseline_forest_ha']],
    ['noncompliance', d.noncompliance_area_ha, 'unit.ha', d.unknown['noncompliance_area_ha']],
    ['emissions', e.luc_tco2eyear, 'unit.emissions', e.unknown['luc_tco2eyear']],
    ['biomass', e.agb_t, 'unit.tonnes', e.unknown['agb_t']],
    ['diversity', b.diversity_score, null, b.unknown['diversity_score']],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value, unit, unknown = 0]) => (
        <div key={name} class="figure">
          <dt>{t(`total.${name}`)}</dt>
          <dd>
            {value === null ? (
              t('unknown')
            ) : (
              <>
                {formatQuantity(value)} {unit === null ? '' : t(unit)}
              </>
            )}
          </dd>
          {name === 'area' && overlap > 0 && (
            <dd class="muted small">{t('total.overlap', { area: formatQuantity(overlap) })}</dd>
          )}
          {name === 'area' && !d.overlaps_counted_once && <dd class="muted small">{t('total.notCompared')}</dd>}
          {unknown > 0 && <dd class="muted small">{t('total.without', { unknown, plots: d.plots })}</dd>}
        </div>
      ))}
    </dl>
  );
}
