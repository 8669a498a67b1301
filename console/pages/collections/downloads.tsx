import { useState } from 'preact/hooks';
import { send, type OperationId } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t, tWord } from '../../text/translate.ts';
import type { Collection } from './collection.ts';
import { fileSize } from '../../parts/files/file-size.ts';
import type { Period } from './batch/period.ts';
import { fileStem, saveAnswer } from './save-answer.ts';

interface View {
  readonly name: string;
  readonly operation: OperationId;
  /** Shown when the collection was measured, or when it has facilities; null: always. */
  readonly needs: 'measured' | 'facilities' | null;
}

const VIEWS: readonly View[] = [
  { name: 'deforestation', operation: 'fetchDeforestationCheck', needs: 'measured' },
  { name: 'emissions', operation: 'fetchBiomassEmissions', needs: 'measured' },
  { name: 'biodiversity', operation: 'fetchBiodiversity', needs: 'measured' },
  { name: 'sheds', operation: 'fetchSupplyShed', needs: 'facilities' },
  { name: 'locations', operation: 'fetchPlots', needs: null },
];

const FORMATS = {
  geojson: ['GeoJSON', 'application/geo+json'],
  ndjson: ['NDJSON', 'application/x-ndjson'],
  csv: ['CSV', 'text/csv'],
} as const;
type Format = keyof typeof FORMATS;

/** Every view of the collection as a file, and the addresses to fetch them from. */
export function Downloads({ collection, period }: { readonly collection: Collection; readonly period: Period }) {
  const [said, setSaid] = useState('');
  const [error, setError] = useState<unknown>(null);
  const { collection_id: id, collection_name: name, stats, counts, urls } = collection;
  const has = { measured: stats === true, facilities: stats === true && (counts?.facilities ?? 0) > 0 };
  const views = VIEWS.filter(({ needs }) => needs === null || has[needs]);

  async function save({ name: view, operation }: View, format: Format): Promise<void> {
    setError(null);
    const file = `${fileStem(name)}-${view}.${format}`;
    const query = { filename: id, monitoring_start: period.start, monitoring_end: period.end };
    try {
      setSaid(t('downloads.reading', { file, size: fileSize(0) }));
      const response = await send(operation, { query: query as never, accept: FORMATS[format][1] });
      await saveAnswer(response, file, (bytes) => setSaid(t('downloads.reading', { file, size: fileSize(bytes) })));
      setSaid(t('downloads.done', { file }));
    } catch (reason) {
      setError(reason);
      setSaid('');
    }
  }

  return (
    <section class="card no-print" aria-labelledby="downloads-title">
      <h2 id="downloads-title">{t('downloads.title')}</h2>
      {error !== null && <ErrorNotice error={error} />}
      <ul class="downloads">
        {views.map((view) => (
          <li key={view.name}>
            <span>{tWord('view', view.name)}</span>
            <span class="actions">
              {(Object.keys(FORMATS) as Format[]).map((format) => (
                <button
                  key={format}
                  type="button"
                  class="button small"
                  aria-label={t('downloads.one', { view: tWord('view', view.name), format: FORMATS[format][0] })}
                  onClick={() => void save(view, format)}
                >
                  {FORMATS[format][0]}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <p class="small" role="status">
        {said}
      </p>
      {urls !== null && (
        <details>
          <summary>{t('downloads.addresses', { count: Object.keys(urls).length })}</summary>
          <p class="hint">{t('downloads.addressesHint')}</p>
          <ul class="addresses">
            {Object.entries(urls).map(([key, path]) => (
              <li key={key}>
                <span>{tWord('url', key)}</span>
                <CopyButton text={new URL(path, location.href).href} />
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
