import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PrintButton, PrintFoot, type Printing, type Signed } from './print/print.tsx';
import { formatNumber, t, tWord } from '../text/translate.ts';

interface DetailProps {
  readonly title: ComponentChildren;
  /** Said below the title; empty ones are left out. */
  readonly about: readonly string[];
  /** Longitude and latitude; null where no place is known. */
  readonly at: readonly [lon: number, lat: number] | null;
  readonly onClose: () => void;
  /** How it is printed; absent: it cannot be. */
  readonly printing?: Printing;
  readonly children: ComponentChildren;
}

/** All that is known of one row. */
export function Detail({ title, about, at, onClose, printing, children }: DetailProps) {
  const top = useRef<HTMLElement>(null);
  const [signed, setSigned] = useState<Signed | null>(null);
  useEffect(() => {
    // Below the map, where the screen is narrow.
    if (matchMedia('(max-width: 900px)').matches) top.current?.scrollIntoView();
  }, []);
  return (
    <article ref={top} class="detail" aria-labelledby="detail-title">
      <header>
        <div>
          <h2 id="detail-title" tabIndex={-1}>
            {title}
          </h2>
          <p class="muted">
            {about.filter((text) => text !== '').join(' · ')}
            {at !== null && (
              <>
                {' '}
                <span class="mono whole">{`${at[1].toFixed(5)}, ${at[0].toFixed(5)}`}</span>
              </>
            )}
          </p>
        </div>
        {printing !== undefined && <PrintButton printing={printing} onSigned={setSigned} />}
        <button type="button" class="button icon" aria-label={t('close')} onClick={onClose}>
          ×
        </button>
      </header>
      {children}
      {printing !== undefined && <PrintFoot signed={signed} results={printing.results} />}
    </article>
  );
}

export function DetailPart({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

export interface PlotCheck {
  readonly check: string;
  readonly status: keyof typeof PLOT_STATUS;
  readonly detail: string;
}

interface PlotChecksProps {
  readonly checks: readonly PlotCheck[];
  readonly areaHa: number | null;
  /** Whether the rest of the detail has the sentence of a check. */
  readonly isSaid: (check: PlotCheck) => boolean;
}

/** What was checked of a plot, and what each check found; what keeps it from being relied on first. */
export function PlotChecks({ checks, areaHa, isSaid }: PlotChecksProps) {
  if (checks.length === 0) return null;
  const sorted = checks.toSorted((a, b) => URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status));
  const passed = sorted.filter(({ status }) => status === 'pass');
  return (
    <DetailPart title={t('facility.plotChecks')}>
      {areaHa !== null && <p>{t('facility.area', { area: formatNumber(areaHa) })}</p>}
      <ul class="evidence">
        {sorted.map((one) => (
          // Paper has no room for the sentence of each check that passes: their names stand in one line there.
          <li key={one.check} class={one.status === 'pass' ? 'no-print' : undefined}>
            <div class="evidence-head">
              <span class="evidence-name">{tWord('plotCheck', one.check)}</span>
              <span class="status" data-status={PLOT_STATUS[one.status]}>
                {t(`plotStatus.${one.status}`)}
              </span>
            </div>
            {!isSaid(one) && <p>{one.detail}</p>}
          </li>
        ))}
      </ul>
      {passed.length > 0 && (
        <p class="print-only">
          <span class="status" data-status={PLOT_STATUS.pass}>
            {t('plotStatus.pass')}
          </span>{' '}
          {passed.map(({ check }) => tWord('plotCheck', check)).join(', ')}
        </p>
      )}
    </DetailPart>
  );
}

const URGENCY = ['fail', 'warn', 'unknown', 'pass'] as const;
const PLOT_STATUS = { pass: 'present', warn: 'unknown', fail: 'absent', unknown: 'unknown' } as const;

/** What the file said in a row, as it stood there; nothing where it said nothing. */
export function SourceValues({ row, source }: { readonly row: number; readonly source: unknown }) {
  if (typeof source !== 'object' || source === null || Object.keys(source).length === 0) return null;
  return (
    <details>
      <summary>{t('facility.source', { row })}</summary>
      <dl class="pairs">
        {Object.entries(source as Record<string, unknown>).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
