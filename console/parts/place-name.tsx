import { t } from '../text/translate.ts';

/** What a row is called: its name, else its id, else that it has neither. */
export function PlaceName({ name, id }: { readonly name: string; readonly id: string }) {
  const text = name === '' ? id : name;
  return text === '' ? <span class="muted">{t('facility.unnamed')}</span> : <>{text}</>;
}
