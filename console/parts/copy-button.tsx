import { useState } from 'preact/hooks';
import { t } from '../text/translate.ts';

/** Copies a text; says so for two seconds. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2_000);
  }
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      <span aria-live="polite">{done ? t('copied') : (label ?? t('copy'))}</span>
    </button>
  );
}
