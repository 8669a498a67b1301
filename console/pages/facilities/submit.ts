import { call } from '../../api/client.ts';
import { addReading, type Preview, type Reading } from '../../parts/review-file/reading.ts';
import { orderOfTask, rememberFile } from '../../state/file-names.ts';
import type { OnSent } from '../../../clients/typescript/send-form.ts';

/** How a file is checked. */
export interface Order {
  /** Empty: what the rows say. */
  readonly commodity: string;
  readonly locationType: '' | 'facility' | 'plot';
  readonly radiusM: number;
  readonly roads: boolean;
  readonly water: boolean;
  readonly ports: boolean;
  readonly geocode: boolean;
  /** Outlines of plots that cannot be used are repaired. */
  readonly repair: boolean;
  /** Of a file that was looked at: its columns and the sheet. */
  readonly mapping: Reading['mapping'];
  readonly sheet: Reading['sheet'];
}

export const USUAL_ORDER: Order = {
  commodity: '',
  locationType: '',
  radiusM: 5_000,
  roads: true,
  water: true,
  ports: true,
  geocode: true,
  repair: false,
  mapping: {},
  sheet: null,
};

/** Hands a file over to be checked and gives the id of its task. Results come as one feature a line. */
export async function submit(file: File, order: Order, signal: AbortSignal, onSent: OnSent): Promise<string> {
  const task = await call('validateLocations', {
    query: { async_mode: true },
    form: formOf(file, order),
    accept: 'application/x-ndjson, application/json;q=0.5',
    signal,
    onSent,
  });
  const { task_id: id } = task as { task_id: string };
  rememberFile(id, file.name, order);
  return id;
}

/** What a check of the file would be of; nothing of it is kept. */
export async function lookAt(
  file: File,
  order: Order,
  fetchData: boolean,
  signal: AbortSignal,
  onSent: OnSent,
): Promise<Preview> {
  const form = formOf(file, order, { dry_run: 'true', fetch_data: String(fetchData) });
  return (await call('validateLocations', { form, signal, onSent })) as Preview;
}

/** How a task was begun; the usual way where it was begun elsewhere. */
export function orderOf(taskId: string): Order {
  return { ...USUAL_ORDER, ...(orderOfTask(taskId) as Partial<Order> | null) };
}

/** The file comes last, so that the fields are known when it arrives. */
function formOf(file: File, order: Order, more: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  addReading(form, order, 'commodity_type');
  if (order.locationType !== '') form.set('location_type', order.locationType);
  form.set('commodity_radius', String(order.radiusM));
  form.set('check_road_access', String(order.roads));
  form.set('check_water_access', String(order.water));
  form.set('check_port_proximity', String(order.ports));
  form.set('geocode', String(order.geocode));
  form.set('repair', String(order.repair));
  form.set('file', file);
  return form;
}
