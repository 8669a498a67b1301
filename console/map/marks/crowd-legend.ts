import { t } from '../../text/translate.ts';
import { LEVEL_COLOURS, type MapTheme } from '../colours.ts';
import type { LegendEntry } from '../legend-entry.ts';
import { isCrowd } from './mark-tiles.ts';

/** What the dots mean that stand for so many marks from afar; nothing where there are too few for dots. */
export function crowdLegend(marks: number, theme: MapTheme): readonly LegendEntry[] {
  if (!isCrowd(marks)) return [];
  return [{ key: 'crowd', text: t('map.crowd'), mark: { kind: 'dot', colour: LEVEL_COLOURS[theme].none } }];
}
