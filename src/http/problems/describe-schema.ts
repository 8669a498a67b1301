/** Pattern of a name or an address: no control character; PostgreSQL has no room for NUL in a text. */
export const PRINTABLE = String.raw`^[^\x00-\x1f\x7f]+$`;
/** Pattern of a longer text, which may have line breaks. */
export const NO_NUL = String.raw`^[^\u0000]*$`;

/** The parts of a JSON schema that say to a person what a value has to be. */
export interface PlainSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly PlainSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly items?: PlainSchema;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** What the schema wants, as the end of a sentence: `a whole number from 1 to 100`. */
export function describeSchema(schema: PlainSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.anyOf !== undefined) return describeChoice(schema.anyOf);
  if (schema.type === 'integer') return `a whole number${range(schema.minimum, schema.maximum, '')}`;
  if (schema.type === 'number') return `a number${range(schema.minimum, schema.maximum, '')}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'null') return 'null';
  if (schema.type === 'array') return `a list${range(schema.minItems, schema.maxItems, ' items')}`;
  if (schema.type === 'object') return 'an object';
  if (schema.type === 'string') return describeText(schema);
  return 'another value';
}

function describeChoice(choices: readonly PlainSchema[]): string {
  const constants = choices.filter((choice) => choice.const !== undefined);
  if (constants.length === choices.length)
    return `one of ${constants.map((choice) => JSON.stringify(choice.const)).join(', ')}`;
  return choices.map(describeSchema).join(' or ');
}

/** What a text of a format is, for people. */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a day of the calendar as YYYY-MM-DD',
  'date-time': 'a moment such as 2026-11-21T09:30:00Z',
  wkt: 'a geometry as WKT',
};
/** The patterns that only keep out characters nobody types; of any other the example says more than the pattern. */
const WITHOUT_CONTROL_CHARACTERS = new Set([PRINTABLE, NO_NUL]);

function describeText({ format, pattern, minLength, maxLength, examples }: PlainSchema): string {
  const [example] = Array.isArray(examples) ? (examples as readonly unknown[]) : [];
  if (format !== undefined && Object.hasOwn(FORMATS, format))
    return `${FORMATS[format]}${format === 'wkt' && example !== undefined ? ` such as ${String(example)}` : ''}`;
  const text = `a text${range(minLength, maxLength, ' characters')}`;
  if (pattern === undefined) return text;
  if (WITHOUT_CONTROL_CHARACTERS.has(pattern)) return `${text} without control characters`;
  return example === undefined
    ? `${text} of the form that the reference describes`
    : `${text} such as ${String(example)}`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const of = unit === '' ? '' : ' of';
  if (min !== undefined && max !== undefined) return `${of || ' from'} ${min} to ${max}${unit}`;
  if (min !== undefined) return `${of} ${min}${unit} or more`;
  if (max !== undefined) return `${of} at most ${max}${unit}`;
  return '';
}
