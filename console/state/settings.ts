import { signal } from '@preact/signals';

/** What the console gets from the service at its start. */
interface Settings {
  readonly version: string;
  /** Map tiles of the operator. */
  readonly tiles: { readonly url: string; readonly attribution: string } | null;
}

export const settings = signal<Settings>({ version: '', tiles: null });

export async function loadSettings(): Promise<void> {
  const response = await fetch('/console/settings.json');
  if (response.ok) settings.value = (await response.json()) as Settings;
}
