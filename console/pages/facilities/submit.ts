import { call } from '../../api/client.ts';
import type { OnSent } from '../../../clients/typescript/send-form.ts';

export const COMMODITIES = ['palm', 'rubber', 'cocoa', 'coffee', 'soy', 'timber', 'cattle'] as const;

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
}

export const USUAL_ORDER: Order = {
  commodity: '',
  locationType: '',
  radiusM: 5_000,
  roads: true,
  water: true,
  ports: true,
  geocode: true,
};

/** Hands a file over to be checked and gives the id of its task. Results come as one feature a line. */
export async function submit(file: File, order: Order, signal: AbortSignal, onSent: OnSent): Promise<string> {
  const form = new FormData();
  if (order.commodity !== '') form.set('commodity_type', order.commodity);
  if (order.locationType !== '') form.set('location_type', order.locationType);
  form.set('commodity_radius', String(order.radiusM));
  form.set('check_road_access', String(order.roads));
  form.set('check_water_access', String(order.water));
  form.set('check_port_proximity', String(order.ports));
  form.set('geocode', String(order.geocode));
  form.set('file', file);
  const task = await call('validateLocations', {
    query: { async_mode: true },
    form,
    accept: 'application/x-ndjson, application/json;q=0.5',
    signal,
    onSent,
  });
  return (task as { task_id: string }).task_id;
}
