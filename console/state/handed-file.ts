import { signal } from '@preact/signals';

/** A file that was chosen on one page and is looked at on the next: an address cannot hold it. */
export const handedFile = signal<File | null>(null);

/** Takes the file, so that the page shows it once. */
export function takeHandedFile(): File | null {
  const file = handedFile.peek();
  handedFile.value = null;
  return file;
}
