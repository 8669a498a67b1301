import type { FeatureCollection } from 'geojson';
import { useEffect, useState } from 'preact/hooks';
import { call, type Answer } from '../../../api/client.ts';
import { GROUND_COLOURS, NO_DATA_COLOUR } from '../../../map/colours.ts';
import { DetailPart } from '../../../parts/detail.tsx';
import { download } from '../../../parts/files/download.ts';
import { useLoad } from '../../../parts/use-load.ts';
import { WhenLoaded } from '../../../parts/when-loaded.tsx';
import { formatFixed, langOf, t, tWord } from '../../../text/translate.ts';
import { formatQuantity } from '../format-quantity.ts';
import { fileStem } from '../save-answer.ts';
import { Confidence } from './confidence.tsx';
import type { PlotFeature } from './plot-row.ts';

type SplitPlot = Answer<'splitPlots'>['features'][number];
type Split = SplitPlot['properties'];
type Part = NonNullable<Split['parts']>['features'][number];

interface PlotSplitProps {
  readonly feature: PlotFeature;
  /** What a downloaded file is named after. */
  readonly name: string;
  readonly onParts: (parts: FeatureCollection | null) => void;
}

/** Whether a location has ground that could be divided. */
export function hasOutline(geometry: unknown): boolean {
  const type = (geometry as { readonly type?: unknown } | null)?.type;
  return type === 'Polygon' || type === 'MultiPolygon';
}

/** Whether a plot is clearly two things, looked up on request, with the proposed split on the map and as a file. */
export function PlotSplit({ feature, name, onParts }: PlotSplitProps) {
  const [isWanted, setWanted] = useState(false);
  const [loaded, again] = useLoad(isWanted ? 'split' : null, (signal) => splitOf(feature, signal));
  const plot = loaded.state === 'ready' ? loaded.value : null;
  useEffect(() => {
    onParts(plot === null ? null : drawn(plot.properties.parts?.features ?? []));
    return () => onParts(null);
  }, [plot]);
  return (
    <DetailPart title={t('split.title')}>
      {isWanted ? (
        <WhenLoaded loaded={loaded} onAgain={again} waiting={t('split.working')}>
          {({ properties }) => <Shown split={properties} name={name} />}
        </WhenLoaded>
      ) : (
        <>
          <p class="muted small split-offer">{t('split.about')}</p>
          <button type="button" class="button" onClick={() => setWanted(true)}>
            {t('split.start')}
          </button>
        </>
      )}
    </DetailPart>
  );
}

async function splitOf({ geometry, id }: PlotFeature, signal: AbortSignal): Promise<SplitPlot> {
  const feature = { type: 'Feature', geometry, ...(id === undefined ? {} : { id }), properties: {} };
  const { features } = await call('splitPlots', {
    body: { features: [feature] } as never,
    accept: 'application/geo+json, application/json;q=0.9',
    signal,
  });
  return features[0]!;
}

/** The place of a ground in the order of colours; one without data is grey. */
function colourOf(ground: string): string {
  if (ground === 'unknown') return NO_DATA_COLOUR;
  return GROUND_COLOURS[(ground.charCodeAt(ground.length - 1) - 65) % GROUND_COLOURS.length]!;
}

function drawn(parts: readonly Part[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: parts.map(({ geometry, properties: { part, ground } }) => ({
      type: 'Feature',
      geometry: geometry as never,
      properties: { part, colour: colourOf(ground) },
    })),
  };
}

function Shown({ split, name }: { readonly split: Split; readonly name: string }) {
  const parts = split.parts?.features ?? [];
  const verdict =
    split.split_proposed === null
      ? t('split.unknown')
      : split.split_proposed
        ? t('split.proposed', { count: parts.length })
        : t('split.one');
  return (
    <div class="plot-split">
      <p role="status">
        <strong>{verdict}</strong>
      </p>
      <p class="small">{split.split_reason}</p>
      {split.split_confidence !== null && (
        <p class="small">
          {t('collections.confidence')}: <Confidence value={split.split_confidence} />{' '}
          <span class="muted">{split.split_confidence_reasons.join(' ')}</span>
        </p>
      )}
      {split.grounds.length > 0 && <Grounds split={split} />}
      {parts.length > 0 ? (
        <>
          <h4>{t('split.parts')}</h4>
          {parts.map(({ properties: p }) => (
            <details key={p.part}>
              <summary>
                <Swatch ground={p.ground} /> {p.ground === 'unknown' ? t('split.noData') : p.part}{' '}
                {formatQuantity(p.area_ha)} {t('unit.ha')} ({percent(p.share)})
              </summary>
              <Cover of={p} />
            </details>
          ))}
          <p>
            <button type="button" class="button" onClick={() => save(parts, name)}>
              {t('split.download')}
            </button>
          </p>
        </>
      ) : (
        split.land_cover.length > 0 && (
          <details>
            <summary>{t('split.whole')}</summary>
            <Cover of={split} />
          </details>
        )
      )}
    </div>
  );
}

/** Shares of the kinds of ground, what is unknown among them. */
function Grounds({ split: { grounds, unknown_ha: unknownHa, area_ha: areaHa } }: { readonly split: Split }) {
  return (
    <table class="plain">
      <caption class="visually-hidden">{t('split.grounds')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('split.ground')}</th>
          <th scope="col" class="number">
            {t('unit.ha')}
          </th>
          <th scope="col" class="number">
            {t('split.share')}
          </th>
          <th scope="col" class="number">
            {t('split.trees')}
          </th>
        </tr>
      </thead>
      <tbody>
        {grounds.map(({ ground, area_ha: ha, share, is_part: isPart, tree_probability: trees }) => (
          <tr key={ground}>
            <th scope="row">
              <Swatch ground={ground} /> {ground}
              {!isPart && <span class="muted small"> {t('split.tooSmall')}</span>}
            </th>
            <td class="number">{formatQuantity(ha)}</td>
            <td class="number">{percent(share)}</td>
            <td class="number">{formatFixed(trees, 2)}</td>
          </tr>
        ))}
        {unknownHa !== null && areaHa !== null && unknownHa > 0 && (
          <tr>
            <th scope="row">
              <Swatch ground="unknown" /> {t('split.noData')}
            </th>
            <td class="number">{formatQuantity(unknownHa)}</td>
            <td class="number">{percent(unknownHa / areaHa)}</td>
            <td class="number">{t('unknown')}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Swatch({ ground }: { readonly ground: string }) {
  return <span class="swatch" aria-hidden="true" style={{ background: colourOf(ground) }} />;
}

/** What the maps and detectors say of a piece of ground; those that say nothing say why. */
function Cover({ of }: { readonly of: Pick<Split, 'land_cover' | 'crops'> }) {
  return (
    <ul class="evidence">
      {of.land_cover.map((cover) => (
        <li key={`${cover.layer} ${cover.dataset}`}>
          <div class="evidence-head">
            <span class="evidence-name">{tWord('layer', cover.layer)}</span>
            {cover.dataset !== null && (
              <span class="muted">
                {cover.dataset} {cover.version}
              </span>
            )}
            {cover.status === 'measured' && cover.synthetic && <span class="tag">{t('synthetic')}</span>}
          </div>
          {cover.status === 'measured' ? (
            <p class="small">
              {[
                ...cover.classes.map((one) => `${tWord('cover', one.class)} ${percent(one.share)}`),
                ...(cover.unknown_ha > 0
                  ? [`${t('split.noData')} ${formatQuantity(cover.unknown_ha)} ${t('unit.ha')}`]
                  : []),
              ].join(', ')}
            </p>
          ) : (
            <p class="muted small">
              {t('unknown')}: <span lang={langOf(cover, 'reason')}>{cover.reason}</span>
            </p>
          )}
        </li>
      ))}
      {of.crops
        .filter((crop) => crop.status === 'measured')
        .map((crop) => (
          <li key={crop.crop}>
            <div class="evidence-head">
              <span class="evidence-name">
                {crop.crop === 'plantation' ? tWord('role', 'plantation-mask') : tWord('commodity', crop.crop)}
              </span>
              <span class="muted">
                {crop.dataset} {crop.version}
              </span>
              {crop.synthetic && <span class="tag">{t('synthetic')}</span>}
            </div>
            <p class="small">
              {percent(crop.share)}{' '}
              <span class="muted" lang={langOf(crop, 'detail')}>
                {crop.detail}
              </span>
            </p>
          </li>
        ))}
    </ul>
  );
}

function percent(share: number): string {
  return `${formatFixed(share * 100, share < 0.1 ? 1 : 0)} %`;
}

/** The parts as a file, each with the name of its plot. */
function save(parts: readonly Part[], name: string): void {
  const features = parts.map(({ geometry, properties }) => ({
    type: 'Feature',
    geometry,
    properties: { plot: name, ...properties },
  }));
  const text = JSON.stringify({ type: 'FeatureCollection', features });
  download(text, `${fileStem(name)}-parts.geojson`, 'application/geo+json');
}
