import { signal } from '@preact/signals';

/** What the console gets from the service at its start. */
export interface Settings {
  readonly version: string;
  /** Map tiles of the operator. */
  readonly tiles: { readonly url: string; readonly attribution: string } | null;
  /** Heights of the operator, as tiles of one of the two usual encodings. */
  readonly terrain: {
    readonly url: string;
    readonly attribution: string;
    readonly encoding: 'terrarium' | 'mapbox';
  } | null;
}

export const settings = signal<Settings>({ version: '', tiles: null, terrain: null });

export async function loadSettings(): Promise<void> {
  const response = await fetch('/console/settings.json');
  if (response.ok) settings.value = (await response.json()) as Settings;
}
