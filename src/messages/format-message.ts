import { parse, TYPE, type MessageFormatElement, type PluralElement } from '@formatjs/icu-messageformat-parser';
import type { Param, Params } from './said.ts';

/** How a language writes what fills the blanks of its sentences. */
export interface Writer {
  /** The plural form of a number, as CLDR calls it. */
  readonly plural: (value: number) => string;
  /** A value as it stands in the sentence; the end of its name says its unit: see `UNITS`. */
  readonly value: (name: string, value: Param) => string;
}

/** What the end of a parameter's name says of its number. */
const UNITS = {
  /** Metres, written as kilometres from 10 km on. */
  _m: 'metres',
  /** A part from 0 to 1, written in percent. */
  _share: 'share',
  /** A score from 0 to 1 with two decimals. */
  _score: 'two decimals',
  /** Degrees of latitude with two decimals. */
  _degrees: 'two decimals',
  /** A calendar year, written without separators. */
  _year: 'plain',
} as const;
type Unit = (typeof UNITS)[keyof typeof UNITS];

/** The unit that the name of a parameter says; null: a plain number. */
export function unitOf(name: string): Unit | null {
  const at = name.lastIndexOf('_');
  return at < 0 ? null : (UNITS[name.slice(at) as keyof typeof UNITS] ?? null);
}

/** A parameter that the sentence needs and that was not given: it comes from an older version. */
export class MissingParam extends Error {}

const parsed = new Map<string, readonly MessageFormatElement[]>();

/**
 * A sentence from its ICU template. The parser is FormatJS's; blanks are written here, because a blank may hold another
 * sentence, whose language is the same. Throws `MissingParam` where a blank has no value.
 */
export function formatMessage(template: string, params: Params, writer: Writer): string {
  let elements = parsed.get(template);
  if (elements === undefined) parsed.set(template, (elements = parseTemplate(template)));
  const pieces: string[] = [];
  write(elements, params, writer, null, pieces);
  // Joined, not added up: V8 keeps a sum as a tree of its pieces, with which `JSON.stringify` leaves its fast way.
  return pieces.join('');
}

/** The parts of a template; throws on one that is not ICU message syntax. */
export function parseTemplate(template: string): readonly MessageFormatElement[] {
  return parse(template, { ignoreTag: true, captureLocation: false });
}

function write(
  elements: readonly MessageFormatElement[],
  params: Params,
  writer: Writer,
  counted: { readonly name: string; readonly value: number } | null,
  pieces: string[],
): void {
  for (const element of elements) {
    if (element.type === TYPE.literal) pieces.push(element.value);
    else if (element.type === TYPE.pound)
      pieces.push(counted === null ? '#' : writer.value(counted.name, counted.value));
    else if (element.type === TYPE.argument) pieces.push(writer.value(element.value, valueOf(params, element.value)));
    else if (element.type === TYPE.plural) {
      const value = Number(valueOf(params, element.value));
      write(pluralForm(element, value, writer).value, params, writer, { name: element.value, value }, pieces);
    } else if (element.type === TYPE.select) {
      const { options, value: name } = element;
      const key = String(valueOf(params, name));
      const chosen = Object.hasOwn(options, key) ? options[key]! : options['other']!;
      write(chosen.value, params, writer, counted, pieces);
    } else throw new TypeError(`a template uses a part of ICU syntax that is not written here: type ${element.type}`);
  }
}

function pluralForm({ options }: PluralElement, value: number, writer: Writer) {
  return options[`=${value}`] ?? options[writer.plural(value)] ?? options['other']!;
}

function valueOf(params: Params, name: string): Param {
  const value = params[name];
  if (value === undefined) throw new MissingParam(name);
  return value;
}
