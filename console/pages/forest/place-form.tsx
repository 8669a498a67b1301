import { useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import { readPlace, writePlace, type Place } from './lookup.ts';

/** A place of the sample district that lies in forest. */
const SAMPLE: Place = { lon: 102.61, lat: 4.6 };

/** A place by its coordinates: the same as a click, for those who do not click. */
export function PlaceForm({ place }: { readonly place: Place | null }) {
  const [text, setText] = useState(place === null ? '' : writePlace(place).replace(',', ', '));
  const found = readPlace(text);
  const go = (to: Place): void => setParams({ at: writePlace(to), task: null, sel: null, map: null }, 'push');
  return (
    <form
      class="row place-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (found !== null) go(found);
      }}
    >
      <Field label={t('forest.place')}>
        {(id) => (
          <input
            id={id}
            inputMode="decimal"
            placeholder="4.6, 102.61"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="button primary" disabled={found === null}>
        {t('forest.find')}
      </button>
      <button type="button" class="button" onClick={() => go(SAMPLE)}>
        {t('forest.sample')}
      </button>
    </form>
  );
}
