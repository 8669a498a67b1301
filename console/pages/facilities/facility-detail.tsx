import type { ComponentChildren } from 'preact';
import type { Feature } from 'geojson';
import { middleOf } from '../../map/middle-of.ts';
import { pointAt, pointed } from '../../map/pointed.ts';
import { Detail, DetailPart, PlotChecks, SourceValues } from '../../parts/detail.tsx';
import type { Printing } from '../../parts/print/print.tsx';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { MessageDetails } from '../../parts/notice.tsx';
import { saidOnce, unreadReasons } from '../../parts/unread/unread-rows.ts';
import { hrefOf } from '../../state/address.ts';
import { countryName, formatDistance, formatFixed, formatMoment, t, tWord } from '../../text/translate.ts';
import { isOpen, type EvidenceItem, type ResultFeature } from './evidence.ts';
import { openRange, shownLevel } from './result-row.ts';
import { Waterfall } from './waterfall.tsx';

/** Everything that is known of one result: its score as it came about, the evidence, warnings, comment and what the file said. */
export function FacilityDetail({
  feature,
  counted,
  missing,
  onClose,
  printing,
  children,
}: {
  readonly feature: ResultFeature;
  /** What counted, of what is on the map. */
  readonly counted: readonly Feature[];
  /** What would settle what is not known; shown where something is not. */
  readonly missing: ComponentChildren;
  readonly onClose: () => void;
  readonly printing: Printing;
  /** Next to the score and apart from it. */
  readonly children?: ComponentChildren;
}) {
  const p = feature.properties;
  const evidence = p.evidence ?? [];
  // Where its place cannot be read or used, a warning says what the comment says, and how it is put right.
  const isUnusable = p.confidence_level === 'invalid' && unreadReasons(p.warnings).length > 0;
  const onMap = new Set(counted.map(({ properties }) => String(properties?.['indicator'])));
  return (
    <Detail
      title={p.facility_name ?? p.name ?? t('facility.unnamed')}
      about={[
        countryName(p.country_code ?? '', p.country ?? ''),
        p.commodity_type === null ? '' : tWord('commodity', p.commodity_type),
      ]}
      at={middleOf(feature.geometry)}
      onClose={onClose}
      printing={printing}
    >
      {p.location_type === 'facility' && p.confidence_level !== undefined && <Score feature={feature} />}
      {isUnusable ? (
        <Warnings feature={feature} />
      ) : (
        p.confidence_comment !== undefined && <p class="notice">{p.confidence_comment}</p>
      )}
      {p.processing !== undefined && p.processing !== 'processed' && (
        <p class="notice">{tWord('confidence', p.processing)}</p>
      )}
      {evidence.length > 0 && (
        <DetailPart title={t('facility.waterfall')}>
          <Waterfall evidence={evidence} score={p.confidence_score ?? 0} range={openRange(p.confidence_range)} />
        </DetailPart>
      )}
      {evidence.some(isOpen) && <DetailPart title={t('missing.title')}>{missing}</DetailPart>}
      {children}
      {!isUnusable && <Warnings feature={feature} />}
      <PlotChecks
        checks={p.plot_checks ?? []}
        areaHa={p.area_ha ?? null}
        isSaid={({ check }) => check === 'geometry' && isUnusable}
      />
      {evidence.length > 0 && (
        <DetailPart title={t('facility.evidence')}>
          <ul class="evidence">
            {evidence.map((item) => (
              <Evidence key={item.indicator} item={item} onMap={onMap.has(item.indicator)} />
            ))}
          </ul>
        </DetailPart>
      )}
      {p.aggregation_comment !== undefined && (
        <DetailPart title={t('facility.comment')}>
          <p>{p.aggregation_comment}</p>
        </DetailPart>
      )}
      <SourceValues row={p.source_row ?? 0} source={p.source} />
    </Detail>
  );
}

/** Level and score, or in place of an unverified one the scores that it could have; and how much was assessed. */
function Score({ feature: { properties: p } }: { readonly feature: ResultFeature }) {
  const level = shownLevel(p.confidence_level, p.confidence_basis);
  const range = openRange(p.confidence_range);
  const [score, lowest, highest] = [p.confidence_score ?? 0, ...(range ?? [])].map((part) => formatFixed(part, 2));
  const scored = (p.evidence ?? []).filter(({ weight = 0 }) => weight > 0);
  const assessed = scored.filter((item) => !isOpen(item)).length;
  return (
    <>
      <div class="score-line">
        <LevelBadge level={level} />
        {level !== 'invalid' && (
          <span class="score-number">{level === 'unverified' && range !== null ? `${lowest}–${highest}` : score}</span>
        )}
      </div>
      {scored.length > 0 && p.confidence_basis !== undefined && (
        <p class="muted">
          {t(`basis.${p.confidence_basis}`)}: {t('facility.assessed', { assessed, total: scored.length })}
          {range !== null &&
            ` ${t('facility.range', { score, level: tWord('level', p.confidence_level ?? ''), lowest, highest })}`}
        </p>
      )}
    </>
  );
}

/** One indicator. What counted for it, and the circle in which it looks, stand out on the map while it is pointed at. */
function Evidence({ item, onMap }: { readonly item: EvidenceItem; readonly onMap: boolean }) {
  const name = tWord('indicator', item.indicator);
  const point = (): void => pointAt({ indicator: item.indicator });
  return (
    <li
      data-status={item.status}
      data-pointed={pointed.value.indicator === item.indicator}
      onMouseEnter={point}
      onMouseLeave={() => pointAt()}
    >
      <div class="evidence-head">
        {onMap ? (
          <button
            type="button"
            class="evidence-name link"
            title={t('facility.onMap')}
            onFocus={point}
            onClick={point}
            onBlur={() => pointAt()}
          >
            {name}
          </button>
        ) : (
          <span class="evidence-name">{name}</span>
        )}
        <span class="status" data-status={item.status}>
          {t(`status.${item.status}`)}
        </span>
        {item.distance_m !== undefined && <span class="muted">{formatDistance(item.distance_m)}</span>}
        {item.penalty > 0 && (
          <span class={item.status === 'unknown' || item.value_up_to !== undefined ? 'muted' : 'penalty'}>
            −{formatFixed(item.penalty, 2)}
          </span>
        )}
      </div>
      <p>{item.detail}</p>
      {item.dataset !== null && (
        <p class="muted small">
          <a href={hrefOf('datasets', { id: item.dataset })}>{item.dataset}</a> {item.dataset_version}
          {item.synthetic === true && <span class="tag">{t('synthetic')}</span>}
          {item.retrieved_at !== undefined && ` · ${formatMoment(item.retrieved_at)}`}
        </p>
      )}
    </li>
  );
}

function Warnings({ feature }: { readonly feature: ResultFeature }) {
  const { warnings: all = [], source_row: row } = feature.properties;
  const warnings = saidOnce(all, row ?? 0);
  if (warnings.length === 0) return null;
  return (
    <DetailPart title={t('facility.warnings', { count: warnings.length })}>
      <ul class="warnings">
        {warnings.map(({ code, params, message, fix }, i) => (
          <li key={i}>
            <strong>{tWord('warning', code)}</strong>
            <p>{message}</p>
            {fix !== undefined && <p class="muted">{fix}</p>}
            <MessageDetails params={params} />
          </li>
        ))}
      </ul>
    </DetailPart>
  );
}
