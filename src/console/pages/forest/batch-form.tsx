import { useState } from 'preact/hooks';
import { Choice, Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { setParams } from '../../state/address.ts';
import { formatNumber, t } from '../../text/translate.ts';
import { parsePlaces, type AxisOrder } from '../../parts/parse-places.ts';
import { FileDrop } from '../../parts/file-drop.tsx';
import { lookUpLater, MAX_POINTS, type Place } from './lookup.ts';
import { pointsOfGeojson } from './points-of-geojson.ts';

/** Many places at once: pasted, or from a file of text or GeoJSON. */
export function BatchForm() {
  const [text, setText] = useState('');
  const [order, setOrder] = useState<AxisOrder>('lat-lon');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { places, unread } = parsePlaces(text, order);

  async function start(points: readonly Place[]): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      setParams({ task: await lookUpLater(points, new AbortController().signal), sel: null, map: null }, 'push');
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  async function take(file: File): Promise<void> {
    const content = await file.text();
    const points = pointsOfGeojson(content);
    if (points === null) setText(content.slice(0, 200_000));
    else await start(points);
  }

  return (
    <section>
      <h2>{t('forest.batch')}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start(places);
        }}
      >
        <Field label={t('forest.paste')} hint={t('forest.batchHint', { most: MAX_POINTS })}>
          {(id, describedBy) => (
            <textarea
              id={id}
              aria-describedby={describedBy}
              rows={5}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <Choice
            label={t('paste.order')}
            value={order}
            options={[
              ['lat-lon', t('paste.latLon')],
              ['lon-lat', t('paste.lonLat')],
            ]}
            onChange={setOrder}
          />
          <button
            type="submit"
            class="button primary"
            disabled={isBusy || places.length === 0 || places.length > MAX_POINTS}
          >
            {t('forest.findMany', { count: formatNumber(places.length) })}
          </button>
        </div>
        {places.length > MAX_POINTS && (
          <p class="notice" data-kind="warn" role="alert">
            {t('forest.tooMany', { most: MAX_POINTS, count: places.length })}
          </p>
        )}
        {unread.length > 0 && <p class="hint">{t('paste.unread', { lines: unread.slice(0, 8).join(', ') })}</p>}
      </form>
      {error !== null && <ErrorNotice error={error} />}
      <FileDrop
        label={t('forest.file')}
        hint={t('forest.fileHint')}
        accept=".geojson,.json,.csv,.txt"
        disabled={isBusy}
        onFile={(file) => void take(file)}
      />
    </section>
  );
}
