import { useState } from 'preact/hooks';
import { formatNumber, t } from '../../text/translate.ts';
import { download } from '../files/download.ts';
import { ErrorNotice } from '../notice.tsx';

const FORMATS = { geojson: 'GeoJSON', csv: 'CSV', xlsx: 'XLSX' } as const;
type RowsFormat = keyof typeof FORMATS;

interface ExportButtonsProps {
  /** Rows of the file. */
  readonly count: number;
  /** Its name without an ending. */
  readonly stem: string;
  readonly make: (format: RowsFormat) => Promise<Blob>;
}

/** Rows as a file, in three formats. */
export function ExportButtons({ count, stem, make }: ExportButtonsProps) {
  const [error, setError] = useState<unknown>(null);
  const save = async (format: RowsFormat): Promise<void> => {
    setError(null);
    try {
      download(await make(format), `${stem}.${format}`);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <div class="export" role="group" aria-label={t('export.label', { count: formatNumber(count) })}>
      {(Object.keys(FORMATS) as RowsFormat[]).map((format) => (
        <button
          key={format}
          type="button"
          class="button small"
          disabled={count === 0}
          onClick={() => void save(format)}
        >
          {FORMATS[format]} <span aria-hidden="true">↓</span>
        </button>
      ))}
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}
