import { useState } from 'preact/hooks';
import { call, type Answer, type OperationId } from '../../../api/client.ts';
import type { Operations } from '../../../../clients/typescript/schema.ts';
import { Check, Choice, Field } from '../../../parts/field.tsx';
import { ErrorNotice, Loading } from '../../../parts/notice.tsx';
import { langOf, t } from '../../../text/translate.ts';
import type { Submission } from './submission.ts';

type CheckResult = Answer<'checkFiling'>;
type Answers = NonNullable<NonNullable<Operations[OperationId & 'checkFiling']['body']>['answers']>;

interface StatementFormProps {
  readonly collectionId: string;
  readonly environments: readonly Submission['environment'][];
  /** The submission that is amended; null for a new one. */
  readonly amending: Submission | null;
  /** Leaves the form; null where there is nothing to go back to. */
  readonly onCancel: (() => void) | null;
  readonly onDone: () => void;
}

const ROLES = ['OPERATOR', 'REPRESENTATIVE_OPERATOR'] as const;
const DECLARATION_ROLES = ['MICRO_OPERATOR', 'REPRESENTATIVE_MSPO', 'MEMBER_STATE'] as const;
const ACTIVITIES = ['DOMESTIC', 'IMPORT', 'EXPORT'] as const;
const KINDS = ['dds', 'sd'] as const;
/** Plots that are left out, by the words of the service. */
const EXCLUDED = {
  doubtful: ['more_information_needed', 'unknown', 'convergence_more_information_needed'],
  deforested: ['high', 'deforestation_found', 'convergence_high'],
} as const;
const EXCLUDES = ['doubtful', 'deforested'] as const;
/** Issues whose advice is there in every language. */
const ADVISED = ['synthetic_data', 'plots_with_deforestation', 'plots_not_cleared', 'plots_left_out'] as const;

/** Fields of the statement and of each commodity, by the names of the interface; empty: not given. */
const STATEMENT_FIELDS = ['countryOfActivity', 'borderCrossCountry', 'comment'] as const;
const GOODS_FIELDS = [
  'hsHeading',
  'descriptionOfGoods',
  'netWeight',
  'percentageEstimationOrDeviation',
  'supplementaryUnit',
  'supplementaryUnitQualifier',
] as const;

/** What the draft of the export does not know, what is missing, and the submission. */
export function StatementForm(props: StatementFormProps) {
  const { amending, onCancel } = props;
  const filing = useFiling(props);
  const { given, set, counts, position, check, wanted, confirm, isBusy } = filing;
  return (
    <div class="no-print">
      <h3>{amending === null ? t('traces.prepare') : t('traces.amending')}</h3>
      <div class="grid-2">
        <Subject {...props} filing={filing} />
        <StatementFields given={given} kind={filing.kind} onSet={set} />
        {counts.commodities > 1 && (
          <Choice
            label={t('traces.commodity')}
            value={String(position)}
            options={upTo(counts.commodities).map((at) => [String(at), t('traces.commodityNumber', { number: at })])}
            onChange={(value) => filing.setPosition(Number(value))}
          />
        )}
        {GOODS_FIELDS.map((name) => (
          <TextField
            key={goodsKey(position, name)}
            name={goodsKey(position, name)}
            label={t(`traces.${name}`)}
            given={given}
            onSet={set}
          />
        ))}
      </div>
      <LeftOut given={given} onSet={set} />
      <MoreAnswers given={given} onSet={set} />
      {filing.error !== null && <ErrorNotice error={filing.error} />}
      {check !== null && <Found check={check} />}
      {wanted !== null && (check?.ready === true || amending !== null) && (
        <Confirmation wanted={wanted} given={confirm} onType={filing.setConfirm} />
      )}
      {isBusy && <Loading text={t('traces.looking')} />}
      <div class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={filing.look}>
          {t('traces.check')}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={isBusy || check?.ready !== true || (wanted !== null && confirm !== wanted)}
          onClick={filing.submit}
        >
          {amending === null ? t('traces.submit') : t('traces.amend')}
        </button>
        {onCancel !== null && (
          <button type="button" class="button" onClick={onCancel}>
            {t('cancel')}
          </button>
        )}
      </div>
    </div>
  );
}

/** Answers, what a check found of them, and their submission. Whatever changes has to be checked again. */
function useFiling({ collectionId, environments, amending, onDone }: StatementFormProps) {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({ kind: amending?.kind ?? 'dds' });
  const [number, setNumber] = useState(amending?.statement ?? 1);
  const [environment, setEnvironment] = useState(environments[0]!);
  /** The commodity whose fields are shown. */
  const [position, setPosition] = useState(1);
  const [counts, setCounts] = useState({ statements: 1, commodities: 1 });
  const [check, setCheck] = useState<CheckResult | null>(null);
  const [confirm, setConfirm] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const kind = given['kind'] === 'sd' ? 'sd' : 'dds';
  const exclude = EXCLUDES.filter((name) => given[`exclude.${name}`] === 'yes').flatMap((name) => EXCLUDED[name]);
  const common = { collection_id: collectionId, statement: number, kind, environment, exclude } as const;
  /** What has to be typed; null: nothing. */
  const wanted = amending === null ? (check?.confirm_with ?? null) : amending.confirm_with.amend;

  function run(work: () => Promise<void>): void {
    setBusy(true);
    setError(null);
    work()
      .catch((reason: unknown) => setError(reason))
      .finally(() => setBusy(false));
  }

  return {
    given,
    set(name: string, value: string): void {
      setGiven({ ...given, [name]: value });
      setCheck(null);
    },
    kind,
    number,
    setNumber(value: number): void {
      setNumber(value);
      setPosition(1);
      setCheck(null);
    },
    environment,
    setEnvironment(value: Submission['environment']): void {
      setEnvironment(value);
      setCheck(null);
    },
    position,
    setPosition,
    counts,
    check,
    wanted,
    confirm,
    setConfirm,
    error,
    isBusy,
    look: (): void =>
      run(async () => {
        const found = await call('checkFiling', { body: { ...common, answers: answersOf(given) } });
        setCheck(found);
        setCounts({ statements: found.statements, commodities: Math.max(1, found.summary.commodities) });
        setPosition((before) => Math.min(before, Math.max(1, found.summary.commodities)));
      }),
    submit: (): void =>
      run(async () => {
        const body = { answers: answersOf(given), ...(wanted === null ? {} : { confirm }) };
        if (amending === null) await call('submitFiling', { body: { ...common, ...body } });
        else await call('amendSubmission', { path: { submission_id: amending.id }, body });
        onDone();
      }),
  } as const;
}

interface SubjectProps extends Pick<StatementFormProps, 'amending' | 'environments'> {
  readonly filing: ReturnType<typeof useFiling>;
}

/** Which statement is filed, as what, and where. */
function Subject({ amending, environments, filing }: SubjectProps) {
  const { kind, environment, number, counts } = filing;
  return (
    <>
      {amending === null && (
        <Choice
          label={t('traces.kind')}
          value={kind}
          options={KINDS.map((word) => [word, t(`traces.kind.${word}`)] as const)}
          onChange={(value) => filing.set('kind', value)}
        />
      )}
      {environments.length > 1 && (
        <Choice
          label={t('traces.environment')}
          value={environment}
          options={environments.map((one) => [one, t(`traces.environment.${one}`)] as const)}
          onChange={filing.setEnvironment}
        />
      )}
      {amending === null && counts.statements > 1 && (
        <Choice
          label={t('traces.statementNumber')}
          value={String(number)}
          options={upTo(counts.statements).map((at) => [String(at), String(at)])}
          onChange={(value) => filing.setNumber(Number(value))}
        />
      )}
    </>
  );
}

interface FieldsProps {
  /** What was typed and chosen, by name. */
  readonly given: Readonly<Record<string, string>>;
  readonly onSet: (name: string, value: string) => void;
}

/** What is said of the statement as a whole. */
function StatementFields({ given, kind, onSet }: FieldsProps & { readonly kind: (typeof KINDS)[number] }) {
  const choice = (name: string, label: string, words: readonly string[]) => (
    <Choice
      label={label}
      value={given[name] ?? ''}
      options={[['', t('filing.unsaid')], ...words.map((word) => [word, word] as const)]}
      onChange={(value) => onSet(name, value)}
    />
  );
  return (
    <>
      {choice('operatorRole', t('traces.operatorRole'), kind === 'sd' ? DECLARATION_ROLES : ROLES)}
      {choice('activityType', t('traces.activityType'), ACTIVITIES)}
      {STATEMENT_FIELDS.map((name) => (
        <TextField key={name} name={name} label={t(`traces.${name}`)} given={given} onSet={onSet} />
      ))}
      <Choice
        label={t('traces.geoLocationConfidential')}
        value={given['confidential'] ?? ''}
        options={[
          ['', t('filing.unsaid')],
          ['true', t('traces.yes')],
          ['false', t('traces.no')],
        ]}
        onChange={(value) => onSet('confidential', value)}
      />
    </>
  );
}

interface TextFieldProps extends FieldsProps {
  readonly name: string;
  readonly label: string;
}

function TextField({ name, label, given, onSet }: TextFieldProps) {
  return (
    <Field label={label}>
      {(id) => <input id={id} value={given[name] ?? ''} onInput={(event) => onSet(name, event.currentTarget.value)} />}
    </Field>
  );
}

/** Plots that are not to be in the statement. */
function LeftOut({ given, onSet }: FieldsProps) {
  return (
    <fieldset class="bare">
      <legend>{t('traces.exclude')}</legend>
      {EXCLUDES.map((name) => (
        <Check
          key={name}
          label={t(`traces.exclude.${name}`)}
          checked={given[`exclude.${name}`] === 'yes'}
          onChange={(isLeftOut) => onSet(`exclude.${name}`, isLeftOut ? 'yes' : '')}
        />
      ))}
    </fieldset>
  );
}

/** What no field is for, as JSON. */
function MoreAnswers({ given, onSet }: FieldsProps) {
  return (
    <details>
      <summary>{t('traces.more')}</summary>
      <Field label={t('traces.moreJson')} hint={t('traces.moreHint')}>
        {(id, describedBy) => (
          <textarea
            id={id}
            aria-describedby={describedBy}
            rows={5}
            class="mono"
            value={given['json'] ?? ''}
            onInput={(event) => onSet('json', event.currentTarget.value)}
          />
        )}
      </Field>
    </details>
  );
}

interface ConfirmationProps {
  readonly wanted: string;
  readonly given: string;
  readonly onType: (text: string) => void;
}

/** Has a person type what proves that they mean it. */
function Confirmation({ wanted, given, onType }: ConfirmationProps) {
  return (
    <Field label={t('traces.type', { text: wanted })} hint={t('traces.typeHint')}>
      {(id, describedBy) => (
        <input
          id={id}
          aria-describedby={describedBy}
          value={given}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Found({ check }: { readonly check: CheckResult }) {
  return (
    <div role="status">
      <p>
        <strong>{check.ready ? t('traces.ready') : t('traces.notReady')}</strong>{' '}
        {t('traces.content', { plots: check.summary.plots, producers: check.summary.producers })}
      </p>
      <ul class="evidence">
        {check.issues.map(({ code, level, field, detail, advice, messages }) => (
          <li key={`${code} ${field} ${detail}`}>
            <div class="evidence-head">
              <span class="status" data-status={level === 'missing' || level === 'invalid' ? 'absent' : 'unknown'}>
                {t(`traces.level.${level}`)}
              </span>
              <span class="mono small">{field}</span>
            </div>
            <p>{adviceOf(code) ?? advice.replaceAll('`', '')}</p>
            <p class="muted small" lang={langOf({ messages }, 'detail')}>
              {detail}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** In the present language, for what the collection itself is about; null: the service's own words. */
function adviceOf(code: string): string | null {
  return ADVISED.some((one) => one === code) ? t(`traces.advice.${code as (typeof ADVISED)[number]}`) : null;
}

function goodsKey(position: number, name: string): string {
  return `${position}.${name}`;
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Only what was given: an empty field leaves the draft as it is. Throws for JSON that is none. */
function answersOf(given: Readonly<Record<string, string>>): Answers {
  const more = (given['json'] ?? '').trim() === '' ? {} : (JSON.parse(given['json']!) as Answers);
  const filled = (names: readonly string[], keyOf: (name: string) => string = (name) => name) =>
    Object.fromEntries(
      names
        .filter((name) => (given[keyOf(name)] ?? '').trim() !== '')
        .map((name) => [name, given[keyOf(name)]!.trim()]),
    );
  const positions = new Set(Object.keys(given).flatMap((key) => /^(\d+)\./.exec(key)?.[1] ?? []));
  const goods = [...positions]
    .map((position) => ({ position, fields: filled(GOODS_FIELDS, (name) => `${position}.${name}`) }))
    .filter(({ fields }) => Object.keys(fields).length > 0);
  // What stands in the form wins over the JSON, field by field.
  const byPosition = new Map((more.commodities ?? []).map((one, i) => [one.position ?? i + 1, one] as const));
  for (const { position, fields } of goods) {
    const at = Number(position);
    byPosition.set(at, { ...byPosition.get(at), ...fields, position: at });
  }
  const commodities = [...byPosition.values()];
  return {
    ...more,
    ...filled(['operatorRole', 'activityType', ...STATEMENT_FIELDS]),
    ...(given['confidential'] ? { geoLocationConfidential: given['confidential'] === 'true' } : {}),
    ...(commodities.length === 0 ? {} : { commodities }),
  };
}
