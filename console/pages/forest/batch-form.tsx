import { useState } from 'preact/hooks';
import { FileDrop } from '../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { PasteForm } from '../../parts/files/paste-form.tsx';
import { setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import { lookUpLater, MAX_POINTS, type Place } from './lookup.ts';
import { pointsOfGeojson } from './points-of-geojson.ts';

/** Many places at once: pasted, or from a file of text or GeoJSON. */
export function BatchForm() {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

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
      <PasteForm
        label={t('forest.paste')}
        hint={t('forest.batchHint', { most: MAX_POINTS })}
        text={text}
        onText={setText}
        submit={(count) => t('forest.findMany', { count })}
        disabled={isBusy}
        most={MAX_POINTS}
        onPlaces={(places) => void start(places)}
      />
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
