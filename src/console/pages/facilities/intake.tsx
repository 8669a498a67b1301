import { useState } from 'preact/hooks';
import { Check, Choice, Field } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Sending, type Sent } from '../../parts/sending.tsx';
import { setParams } from '../../state/address.ts';
import { t, tWord } from '../../text/translate.ts';
import { parsePlaces, placesFile, type AxisOrder } from '../../parts/parse-places.ts';
import { RecentTasks } from './recent-tasks.tsx';
import { COMMODITIES, submit, USUAL_ORDER, type Order } from './submit.ts';

/** Where a check begins: a file or pasted places, and how they are checked. */
export function Intake() {
  const [order, setOrder] = useState<Order>(USUAL_ORDER);
  const [sending, setSending] = useState<AbortController | null>(null);
  const [sent, setSent] = useState<Sent>(null);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<Order>): void => setOrder({ ...order, ...part });

  async function start(file: File): Promise<void> {
    const abort = new AbortController();
    setSending(abort);
    setSent(null);
    setError(null);
    try {
      const task = await submit(file, order, abort.signal, (...bytes) => setSent(bytes));
      setParams({ task, map: null }, 'push');
    } catch (reason) {
      if (!abort.signal.aborted) setError(reason);
    } finally {
      setSending(null);
    }
  }

  return (
    <div class="intake">
      <header class="page-head">
        <h1>{t('facilities.title')}</h1>
        <p class="lead">{t('facilities.lead')}</p>
      </header>
      {error !== null && <ErrorNotice error={error} />}
      {sending !== null && <Sending sent={sent} onCancel={() => sending.abort()} />}
      <div class="intake-columns">
        <div class="intake-inputs">
          <FileDrop
            label={t('facilities.choose')}
            hint={t('facilities.formats')}
            disabled={sending !== null}
            onFile={(file) => void start(file)}
          />
          <Paste
            disabled={sending !== null}
            onPlaces={(file) => void start(file)}
            onSample={() => change({ commodity: 'palm' })}
          />
        </div>
        <fieldset class="card options">
          <legend>{t('options.title')}</legend>
          <Choice
            label={t('options.commodity')}
            value={order.commodity}
            options={[
              ['', t('options.fromFile')],
              ...COMMODITIES.map((name) => [name, tWord('commodity', name)] as const),
            ]}
            onChange={(commodity) => change({ commodity })}
          />
          <Choice
            label={t('options.type')}
            value={order.locationType}
            options={[
              ['', t('options.eachRow')],
              ['facility', t('type.facility')],
              ['plot', t('type.plot')],
            ]}
            onChange={(locationType) => change({ locationType })}
          />
          <Field label={t('options.radius')} hint={t('options.radiusHint')}>
            {(id, describedBy) => (
              <input
                id={id}
                aria-describedby={describedBy}
                type="number"
                min={1}
                max={50_000}
                step={100}
                value={order.radiusM}
                onChange={(event) => change({ radiusM: Number(event.currentTarget.value) || 5_000 })}
              />
            )}
          </Field>
          <Check label={t('options.roads')} checked={order.roads} onChange={(roads) => change({ roads })} />
          <Check label={t('options.water')} checked={order.water} onChange={(water) => change({ water })} />
          <Check label={t('options.ports')} checked={order.ports} onChange={(ports) => change({ ports })} />
          <Check label={t('options.geocode')} checked={order.geocode} onChange={(geocode) => change({ geocode })} />
        </fieldset>
      </div>
      <RecentTasks />
    </div>
  );
}

/** The mill of the sample district and its neighbours, to begin with. */
const SAMPLE =
  '4.58210, 102.61240, Kilang Sawit Contoh\n4.59900, 102.58530, Gudang Getah Contoh\n4.61020, 102.60530, Station Contoh';

interface PasteProps {
  readonly disabled: boolean;
  readonly onPlaces: (file: File) => void;
  /** The sample places were asked for. */
  readonly onSample: () => void;
}

function Paste({ disabled, onPlaces, onSample }: PasteProps) {
  const [text, setText] = useState('');
  const [axes, setAxes] = useState<AxisOrder>('lat-lon');
  const { places, unread } = parsePlaces(text, axes);
  return (
    <form
      class="card paste"
      onSubmit={(event) => {
        event.preventDefault();
        onPlaces(placesFile(places, 'places.geojson'));
      }}
    >
      <Field label={t('paste.label')} hint={t('paste.hint')}>
        {(id, describedBy) => (
          <textarea
            id={id}
            aria-describedby={describedBy}
            rows={5}
            spellcheck={false}
            placeholder={'4.5821, 102.6124, Mill 1'}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <Choice
          label={t('paste.order')}
          value={axes}
          options={[
            ['lat-lon', t('paste.latLon')],
            ['lon-lat', t('paste.lonLat')],
          ]}
          onChange={setAxes}
        />
        <button
          type="button"
          class="button small"
          onClick={() => {
            setText(SAMPLE);
            onSample();
          }}
        >
          {t('paste.sample')}
        </button>
        <button type="submit" class="button primary" disabled={disabled || places.length === 0}>
          {t('paste.check', { count: places.length })}
        </button>
      </div>
      {unread.length > 0 && (
        <p class="hint" role="status">
          {t('paste.unread', { lines: unread.slice(0, 8).join(', ') })}
        </p>
      )}
    </form>
  );
}
