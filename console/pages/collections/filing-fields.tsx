import { Choice, Field } from '../../parts/field.tsx';
import { t, tWord } from '../../text/translate.ts';

/** What is said of a filing, with the names of `/export_eudr_dds`; empty: not said. */
export interface Filing {
  readonly kind: 'statement' | 'simplified_declaration';
  readonly cn: string;
  readonly role: string;
  readonly size: string;
  readonly activity: string;
  readonly places: string;
  readonly date: string;
}

export const NOTHING_SAID: Filing = {
  kind: 'statement',
  cn: '',
  role: '',
  size: '',
  activity: '',
  places: '',
  date: '',
};

const ROLES = {
  statement: ['operator', 'authorised_representative'],
  simplified_declaration: ['primary_operator', 'authorised_representative'],
} as const;
const SIZES = ['natural_person', 'micro', 'small', 'medium', 'large'] as const;
const ACTIVITIES = ['IMPORT', 'EXPORT', 'DOMESTIC'] as const;
const PLACES = ['geometry', 'address', 'cadastral'] as const;

/** Only what was said, as parameters. */
export function filingQuery(filing: Filing): Partial<Filing> {
  return Object.fromEntries(
    Object.entries(filing).filter(([name, value]) => value !== '' && (name !== 'kind' || value !== 'statement')),
  );
}

/** What a person may say of the filing before the draft is made. */
export function FilingFields({
  filing,
  onChange,
}: {
  readonly filing: Filing;
  readonly onChange: (filing: Filing) => void;
}) {
  const set = (part: Partial<Filing>) => onChange({ ...filing, ...part });
  const unsaid = ['', t('filing.unsaid')] as const;
  const isDeclaration = filing.kind === 'simplified_declaration';
  return (
    <details>
      <summary>{t('filing.title')}</summary>
      <p class="hint">{t('filing.hint')}</p>
      <div class="grid-2">
        <Choice
          label={t('filing.kind')}
          value={filing.kind}
          options={[
            ['statement', t('filing.statement')],
            ['simplified_declaration', t('filing.declaration')],
          ]}
          onChange={(kind) => set({ kind, role: '', places: '' })}
        />
        <Field label={t('filing.cn')} hint={t('filing.cnHint')}>
          {(id, describedBy) => (
            <input
              id={id}
              aria-describedby={describedBy}
              maxLength={200}
              value={filing.cn}
              onInput={(event) => set({ cn: event.currentTarget.value })}
            />
          )}
        </Field>
        <Choice
          label={t('filing.role')}
          value={filing.role}
          options={[unsaid, ...ROLES[filing.kind].map((role) => [role, tWord('filing.role', role)] as const)]}
          onChange={(role) => set({ role })}
        />
        <Choice
          label={t('filing.size')}
          value={filing.size}
          options={[unsaid, ...SIZES.map((size) => [size, tWord('filing.size', size)] as const)]}
          onChange={(size) => set({ size })}
        />
        <Choice
          label={t('filing.activity')}
          value={filing.activity}
          options={[unsaid, ...ACTIVITIES.map((one) => [one, tWord('filing.activity', one)] as const)]}
          onChange={(activity) => set({ activity })}
        />
        <Field label={t('filing.date')} hint={t('filing.dateHint')}>
          {(id, describedBy) => (
            <input
              id={id}
              type="date"
              aria-describedby={describedBy}
              value={filing.date}
              onInput={(event) => set({ date: event.currentTarget.value })}
            />
          )}
        </Field>
        {isDeclaration && (
          <Choice
            label={t('filing.places')}
            value={filing.places === '' ? 'geometry' : filing.places}
            options={PLACES.map((places) => [places, tWord('filing.places', places)] as const)}
            onChange={(places) => set({ places })}
          />
        )}
      </div>
    </details>
  );
}
