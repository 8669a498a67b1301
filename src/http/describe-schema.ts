/** The parts of a JSON schema that tell a person what a value has to be. */
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

function describeText({ format, pattern, minLength, maxLength }: PlainSchema): string {
  const what =
    format === undefined || format === 'password'
      ? 'a text'
      : `a text in the form of ${/^[aeiou]/.test(format) ? 'an' : 'a'} ${format}`;
  return `${what}${range(minLength, maxLength, ' characters')}${pattern === undefined ? '' : ` that matches ${pattern}`}`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const of = unit === '' ? '' : ' of';
  if (min !== undefined && max !== undefined) return `${of || ' from'} ${min} to ${max}${unit}`;
  if (min !== undefined) return `${of} ${min}${unit} or more`;
  if (max !== undefined) return `${of} at most ${max}${unit}`;
  return '';
}
