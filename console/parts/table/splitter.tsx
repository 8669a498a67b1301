import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';

const KEY = 'firstmile.tableShare';
/** Percent of the page that the table next to a map takes, at least and at most. */
const [LEAST, MOST] = [25, 80] as const;
/** Percent that an arrow key moves. */
const STEP = 2;

/** Percent that the table next to a map takes, as this browser remembers it; null: as at first. */
export const tableShare = signal<number | null>(read());

/** The line between a table and its map. The pointer and the arrow keys move it, a double click puts it back. */
export function Splitter() {
  const line = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState<number>(MOST);
  const [isHeld, hold] = useState(false);
  useLayoutEffect(() => {
    const map = line.current!.parentElement!;
    const watch = new ResizeObserver(() => setNow(100 - (map.clientWidth / map.parentElement!.clientWidth) * 100));
    watch.observe(map);
    return () => watch.disconnect();
  }, []);
  return (
    <div
      class="splitter no-print"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('facilities.tableWidth')}
      title={t('facilities.tableWidth')}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(within(now))}
      data-held={isHeld}
      tabIndex={0}
      ref={line}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
        hold(true);
      }}
      onPointerMove={({ clientX }) => {
        if (!isHeld) return;
        const { left, width } = line.current!.closest('.results-body')!.getBoundingClientRect();
        share(((clientX - left) / width) * 100);
      }}
      onLostPointerCapture={() => hold(false)}
      onKeyDown={(event) => {
        // Not where the line is: a key that is held comes faster than the page is laid out.
        const from = tableShare.value ?? now;
        const wanted = { ArrowLeft: from - STEP, ArrowRight: from + STEP, Home: LEAST, End: MOST }[event.key];
        if (wanted === undefined) return;
        event.preventDefault();
        share(wanted);
      }}
      onDblClick={() => share(null)}
    />
  );
}

/** Remembers a share; null: as at first. */
function share(percent: number | null): void {
  tableShare.value = percent === null ? null : Math.round(within(percent) * 10) / 10;
  if (percent === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, String(tableShare.value));
}

function within(percent: number): number {
  return Math.max(LEAST, Math.min(MOST, percent));
}

function read(): number | null {
  const percent = Number(localStorage.getItem(KEY) ?? NaN);
  return percent >= LEAST && percent <= MOST ? percent : null;
}
