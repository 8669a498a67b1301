import type { ComponentChildren, JSX } from 'preact';
import { param, setParams } from '../state/address.ts';
import { t } from '../text/translate.ts';
import { isLeaving } from './focus.ts';
import { Splitter, tableShare } from './table/splitter.tsx';

const SIDES = ['table', 'map'] as const;
type Side = (typeof SIDES)[number];

/** The side that the address names as `show`. */
function side(): Side {
  return param('show') === 'map' ? 'map' : 'table';
}

interface ResultsFrameProps {
  readonly class: string;
  readonly table: ComponentChildren;
  readonly map: ComponentChildren;
  /** Of the chosen row; null when none is. */
  readonly detail: JSX.Element | null;
  /** Leaves the detail. */
  readonly onLeave: () => void;
  /** Above table and map. */
  readonly children: ComponentChildren;
}

/** Rows in a table and on a map with the detail of one of them; one side at a time where the screen is narrow. */
export function ResultsFrame({ table, map, detail, onLeave, children, ...props }: ResultsFrameProps) {
  const share = tableShare.value;
  return (
    <div
      class={props.class}
      data-side={side()}
      data-detail={detail !== null}
      onKeyDown={(event) => detail !== null && isLeaving(event) && onLeave()}
    >
      {children}
      <div
        class="results-body"
        data-split={share !== null}
        style={share === null ? undefined : { '--table-share': `${share}%` }}
      >
        <div class="results-table">{table}</div>
        <div class="results-map">
          {map}
          {detail === null && <Splitter />}
        </div>
        {detail !== null && <aside class="results-detail">{detail}</aside>}
      </div>
    </div>
  );
}

/** Which side a narrow screen shows. */
export function SideSwitch() {
  return (
    <div class="segmented narrow-only" role="group" aria-label={t('facilities.view')}>
      {SIDES.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={side() === name}
          onClick={() => setParams({ show: name === 'map' ? name : null })}
        >
          {t(`facilities.${name}`)}
        </button>
      ))}
    </div>
  );
}
