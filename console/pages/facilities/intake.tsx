import { useState } from 'preact/hooks';
import { Check, Choice, Field } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { placesFile } from '../../parts/files/parse-places.ts';
import { PasteForm } from '../../parts/files/paste-form.tsx';
import { Sending, type Sent } from '../../parts/files/sending.tsx';
import { setParams, goTo, hrefOf } from '../../state/address.ts';
import { t, tWord, formatMoment, formatNumber } from '../../text/translate.ts';
import { COMMODITIES, submit, USUAL_ORDER, type Order } from './submit.ts';
import { call } from '../../api/client.ts';
import { useLoad } from '../../parts/use-load.ts';

/** Where a check begins: a file or pasted places, and how they are checked. */
export function Intake() {
  const [order, setOrder] = useState<Order>(USUAL_ORDER);
  const [text, setText] = useState('');
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
          <PasteForm
            class="card paste"
            label={t('paste.label')}
            hint={t('paste.hint')}
            placeholder="4.5821, 102.6124, Mill 1"
            text={text}
            onText={setText}
            submit={(count) => t('paste.check', { count })}
            disabled={sending !== null}
            onPlaces={(places) => void start(placesFile(places, 'places.geojson'))}
          >
            <button
              type="button"
              class="button small"
              onClick={() => {
                setText(SAMPLE);
                change({ commodity: 'palm' });
              }}
            >
              {t('paste.sample')}
            </button>
          </PasteForm>
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

const KINDS = new Set(['validate_locations', 'validate_facilities']);

/** Checks of the last days whose results are still kept. */
function RecentTasks() {
  const [loaded, reload] = useLoad('recent', (signal) => call('listTasks', { query: { limit: 50 }, signal }));
  if (loaded.state === 'loading') return null;
  if (loaded.state === 'failed')
    return (
      <section class="recent">
        <h2>{t('recent.title')}</h2>
        <ErrorNotice error={loaded.error} onAgain={reload} />
      </section>
    );
  const tasks = loaded.value.tasks.filter(({ kind }) => KINDS.has(kind)).slice(0, 8);
  if (tasks.length === 0) return null;
  return (
    <section class="recent">
      <h2>{t('recent.title')}</h2>
      <ul class="list">
        {tasks.map(({ task_id: id, status, created_at: created, progress }) => (
          <li key={id}>
            <a
              href={hrefOf('facilities', { task: id })}
              onClick={(event) => {
                event.preventDefault();
                goTo('facilities', { task: id });
              }}
            >
              {formatMoment(created)}
            </a>
            <span
              class="status"
              data-status={status === 'completed' ? 'present' : status === 'processing' ? 'unknown' : 'absent'}
            >
              {t(`task.${status}`)}
            </span>
            {progress.total !== null && (
              <span class="muted">{t('recent.rows', { count: formatNumber(progress.total) })}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
