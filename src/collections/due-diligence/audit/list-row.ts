import type { Collection } from '../../collection.ts';
import type { FittedPlot } from '../fit-plot.ts';
import type { PlotGroup } from '../../plot-group.ts';
import { groupOf } from '../group-of.ts';
import { AMBER, FAINT, GREEN, RED, SOFT } from './palette.ts';
import { hectaresText } from './units.ts';

/** What the list of plots says about one. */
export interface ListRow {
  readonly collection: string;
  readonly number: number;
  readonly row: string;
  readonly name: string;
  readonly producer: string;
  readonly country: string | null;
  readonly area: string;
  readonly loss: string;
  readonly group: PlotGroup;
}

/** Characters that are shown of a text. */
const MOST = 80;

export function listRow({ id }: Pick<Collection, 'id'>, plot: FittedPlot): ListRow {
  const { record, facts, areaHa, deforestation } = plot;
  const loss = deforestation?.noncompliance_area_ha ?? null;
  return {
    collection: id,
    number: record.number,
    row: rowText(plot),
    name: nameOf(plot).slice(0, MOST),
    producer: (facts.producerName ?? '–').slice(0, MOST),
    country: facts.country?.slice(0, 20) ?? null,
    area: areaHa === null ? '–' : hectaresText(areaHa).replace(' ha', ''),
    loss: loss === null ? '?' : hectaresText(loss).replace(' ha', ''),
    group: groupOf(plot),
  };
}

/** Which row of the file it is, as the spreadsheet shows it; in files without rows the number of the feature, from 1. */
export function rowText({ facts, record }: FittedPlot): string {
  return facts.sourceRow === null ? `No. ${record.number + 1}` : `Row ${facts.sourceRow}`;
}

/** What people call it: its name, else the identifier that it came with. */
export function nameOf({ facts }: FittedPlot): string {
  return facts.name ?? (facts.id === null ? 'without a name' : String(facts.id));
}

/** How a group is drawn, and what becomes of its rows. */
export const GROUP_LOOKS = {
  deforested: { color: AMBER, note: 'in the draft: look at them' },
  open: { color: SOFT, note: 'in the draft: unknown, or more information is needed' },
  cleared: { color: GREEN, note: 'in the draft' },
  left_out: { color: RED, note: 'in no draft; left-out.csv says why' },
  excluded: { color: RED, note: 'in no draft' },
  facility: { color: FAINT, note: 'no plots, in no draft' },
} as const satisfies Record<PlotGroup, { readonly color: string; readonly note: string }>;
