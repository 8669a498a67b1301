import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { theme } from '../state/theme.ts';
import { t } from '../text/translate.ts';
import { LEVEL_COLOURS, MAP_COLOURS } from './colours.ts';
import type { LegendEntry, LegendMark, LegendPart } from './legend-entry.ts';
import { LEVEL_SHAPES, yearShape } from './marks/level-marks.ts';
import { yearColour } from './year-colours.ts';

/** Pixels that a map has to be wide for the first part of its legend to be open, and for the others: it would vanish below them. */
const ROOM = { first: 560, others: 900 } as const;

/** What every mark of a map means, and switches for what can be left out. */
export function MapLegend({ parts }: { readonly parts: readonly LegendPart[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const map = box.current?.parentElement;
    if (map === null || map === undefined) return;
    // What somebody opened or closed stays as it is until there is more or less room.
    const watch = new ResizeObserver(() => setWidth(map.clientWidth));
    watch.observe(map);
    return () => watch.disconnect();
  }, []);
  const shown = parts.filter(({ entries }) => entries.length > 0);
  return (
    <div class="map-legend" role="group" aria-label={t('map.legend')} ref={box}>
      {width !== null &&
        shown.map((part, i) => (
          <details key={part.key} open={width >= (i === 0 ? ROOM.first : ROOM.others)}>
            <summary>{part.title}</summary>
            <ul>
              {part.entries.map((entry) => (
                <li key={entry.key} data-key={entry.key}>
                  <Entry entry={entry} />
                </li>
              ))}
            </ul>
          </details>
        ))}
    </div>
  );
}

function Entry({ entry: { text, mark, isOn, onTurn } }: { readonly entry: LegendEntry }) {
  const shown = (
    <>
      {mark !== null && <Mark mark={mark} />}
      <span>{text}</span>
    </>
  );
  if (onTurn === undefined) return shown;
  return (
    <label>
      <input type="checkbox" checked={isOn === true} onChange={(event) => onTurn(event.currentTarget.checked)} />
      {shown}
    </label>
  );
}

const [WIDTH, HEIGHT] = [22, 16] as const;

function Mark({ mark }: { readonly mark: LegendMark }) {
  return (
    <svg class="legend-mark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <Shape mark={mark} />
    </svg>
  );
}

function Shape({ mark }: { readonly mark: LegendMark }) {
  const { halo, label } = MAP_COLOURS[theme.value];
  const middle = { cx: WIDTH / 2, cy: HEIGHT / 2 };
  switch (mark.kind) {
    case 'year':
      return (
        <path
          d={yearShape(mark.year)}
          fill={yearColour(mark.year, theme.value)}
          transform={`translate(${WIDTH / 2} ${HEIGHT / 2}) scale(0.75)`}
        />
      );
    case 'level':
      return (
        <path
          d={LEVEL_SHAPES[mark.look]}
          fill={LEVEL_COLOURS[theme.value][mark.look]}
          fill-rule="evenodd"
          transform={`translate(${WIDTH / 2} ${HEIGHT / 2}) scale(0.75)`}
        />
      );
    case 'line':
      return (
        <line
          x1="1"
          x2={WIDTH - 1}
          y1={HEIGHT / 2}
          y2={HEIGHT / 2}
          stroke={mark.colour}
          stroke-width={mark.width ?? 2}
          stroke-dasharray={mark.dash}
        />
      );
    case 'area':
      return (
        <rect
          x="2"
          y="2"
          width={WIDTH - 4}
          height={HEIGHT - 4}
          fill={mark.fill}
          fill-opacity={mark.opacity ?? 1}
          stroke={mark.edge ?? 'none'}
          stroke-width="1.5"
          stroke-dasharray={mark.dash}
        />
      );
    case 'dot':
      return <circle {...middle} r="5" fill={mark.colour} stroke={mark.edge ?? halo} stroke-width="1.5" />;
    case 'shapes':
      return (
        <g fill={mark.colour} stroke={mark.colour}>
          <rect x="1" y="3" width="8" height="10" fill-opacity="0.35" />
          <line x1="11" x2="14" y1="14" y2="2" stroke-width="2" />
          <circle cx="18.5" cy={HEIGHT / 2} r="3" stroke="none" />
        </g>
      );
    case 'ring':
      return <circle {...middle} r="6" fill="none" stroke={mark.colour} stroke-width="2" />;
    case 'hatch':
      return <path d="M2 14L12 2M8 14L18 2M14 14L20 7" stroke={label} stroke-width="1.2" fill="none" />;
  }
}
