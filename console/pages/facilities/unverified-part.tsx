import { useMemo, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import '../../parts/review-file/review-file.css';
import { MissingData } from './missing-data.tsx';
import { INDICATORS, type ResultRow } from './result-row.ts';
import type { Order } from './submit.ts';

interface UnverifiedPartProps {
  /** The rows that are shown. */
  readonly rows: readonly ResultRow[];
  /** Some of them as a file of places. */
  readonly make: (rows: readonly ResultRow[]) => Promise<Blob>;
  readonly order: Order;
  /** Checks some of them again. */
  readonly onCheck: (rows: readonly ResultRow[]) => Promise<void>;
}

/** The places of which too little is known for a level, and what would settle them all. */
export function UnverifiedPart({ rows, make, order, onCheck }: UnverifiedPartProps) {
  const found = useMemo(() => rows.filter(({ level }) => level === 'unverified'), [rows]);
  const [isOpen, setOpen] = useState(false);
  if (found.length === 0) return null;
  return (
    <details class="unverified-rows" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('missing.unverified', { count: found.length })}</summary>
      {isOpen && (
        <MissingData
          key={found.length}
          make={() => make(found)}
          order={order}
          open={INDICATORS.filter((_, i) => found.some(({ indicators }) => indicators[i] === 'u'))}
          onCheck={() => onCheck(found)}
        />
      )}
    </details>
  );
}
