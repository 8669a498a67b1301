import { useState } from 'preact/hooks';
import { download } from '../../parts/files/download.ts';
import { Check, Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { hrefOf, param, setParams } from '../../state/address.ts';
import { formatDistance, formatNumber, t, tWord } from '../../text/translate.ts';
import { patchStanding } from './patch-standing.ts';
import { crsChoices, lookUp, nameOf, type ForestAnswer, type Place } from './lookup.ts';

interface PatchPanelProps {
  readonly answer: ForestAnswer;
  /** Which of its features is described. */
  readonly index: number;
  /** The places that were looked up. */
  readonly places: readonly Place[];
}

const TITLES = { found: 'forest.patch', none: 'forest.none', unknown: 'forest.unknown' } as const;

/** What is known of a patch, how it is shown, and its download. */
export function PatchPanel({ answer, index, places }: PatchPanelProps) {
  const patch = answer.features[index];
  if (patch === undefined) return null;
  const p = patch.properties;
  const isAnyFound = answer.features.some(({ geometry }) => geometry !== null);
  return (
    <section aria-live="polite">
      <h2>
        {t(TITLES[patchStanding(patch)])}
        {nameOf(p) !== '' && <span class="muted"> {nameOf(p)}</span>}
        {p.synthetic && <span class="tag">{t('synthetic')}</span>}
      </h2>
      {patch.geometry !== null && (
        <dl class="figures">
          <Figure name={t('forest.area')} value={`${formatNumber(p.area_ha ?? 0)} ha`} />
          <Figure name={t('forest.perimeter')} value={formatDistance(p.perimeter_m ?? 0)} />
          <Figure name={t('forest.year')} value={String(p.source_year ?? '–')} />
          <Figure name={t('forest.tier')} value={p.source === null ? '–' : t(`forest.source.${p.source}`)} />
          <Figure name={t('forest.change')} value={`${formatNumber(p.area_change_pct ?? 0)} %`} />
          <Figure name={t('forest.segment')} value={p.segment_id ?? '–'} mono />
        </dl>
      )}
      {p.dataset !== null && (
        <p class="small muted">
          {t('forest.dataset')} <a href={hrefOf('datasets', { id: p.dataset })}>{p.dataset}</a> {p.dataset_version}
        </p>
      )}
      {p.warnings.length > 0 && (
        <ul class="warnings">
          {p.warnings.map(({ code, message }) => (
            <li key={code}>
              <strong>{tWord('warning', code)}</strong>
              <p>{message}</p>
            </li>
          ))}
        </ul>
      )}
      {isAnyFound && (
        <Check
          label={t('forest.raw')}
          checked={param('raw') === '1'}
          onChange={(on) => setParams({ raw: on ? '1' : null })}
        />
      )}
      {patch.geometry !== null && (
        <Check
          label={t('forest.neighbours')}
          checked={param('neighbours') === '1'}
          onChange={(on) => setParams({ neighbours: on ? '1' : null })}
        />
      )}
      {param('task') === null && (
        <Check
          label={t('forest.parcels')}
          checked={param('parcels') === '1'}
          onChange={(on) => setParams({ parcels: on ? '1' : null })}
        />
      )}
      {isAnyFound && <Download places={places} />}
    </section>
  );
}

function Figure({
  name,
  value,
  mono = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly mono?: boolean;
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class={mono ? 'mono' : ''}>{value}</dd>
    </div>
  );
}

function Download({ places }: { readonly places: readonly Place[] }) {
  const [crs, setCrs] = useState('EPSG:4326');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [first] = places;
  if (first === undefined) return null;

  async function save(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const { features, ...rest } = await lookUp(places, crs, new AbortController().signal);
      // The outline before smoothing is for the eye; programs get the patch alone.
      const plain = features.map(({ properties: { raw_outline: _raw, ...properties }, ...feature }) => ({
        ...feature,
        properties,
      }));
      download(JSON.stringify({ ...rest, features: plain }), 'forest-patches.geojson', 'application/geo+json');
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      class="row download"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={t('forest.crs')}>
        {(id) => (
          <>
            <input
              id={id}
              list={`${id}-list`}
              required
              value={crs}
              onInput={(event) => setCrs(event.currentTarget.value)}
            />
            <datalist id={`${id}-list`}>
              {crsChoices(first).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <button type="submit" class="button" disabled={isBusy}>
        {t('forest.download')}
      </button>
      {error !== null && <ErrorNotice error={error} />}
    </form>
  );
}
