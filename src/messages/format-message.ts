import {
  parse,
  TYPE,
  type MessageFormatElement,
  type PluralElement,
  type SelectElement,
} from '@formatjs/icu-messageformat-parser';
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

/** By the names of parameters, of which the templates have a few hundred. */
const units = new Map<string, Unit | null>();

/** The unit that the name of a parameter says; null: a plain number. */
export function unitOf(name: string): Unit | null {
  let unit = units.get(name);
  if (unit === undefined) units.set(name, (unit = unitIn(name)));
  return unit;
}

function unitIn(name: string): Unit | null {
  const at = name.lastIndexOf('_');
  return at < 0 ? null : (UNITS[name.slice(at) as keyof typeof UNITS] ?? null);
}

/** A parameter that the sentence needs and that was not given: it comes from an older version. */
export class MissingParam extends Error {}

/** A part of a template: text as it stands, or what writes it. */
type Piece = string | ((params: Params, writer: Writer) => string);

const compiled = new Map<string, readonly Piece[]>();

/**
 * A sentence from its ICU template. The parser is FormatJS's; blanks are written here, because a blank may hold another
 * sentence, whose language is the same. Throws `MissingParam` where a blank has no value.
 */
export function formatMessage(template: string, params: Params, writer: Writer): string {
  let pieces = compiled.get(template);
  if (pieces === undefined)
    compiled.set(template, (pieces = parseTemplate(template).map((part) => pieceOf(part, null))));
  return textOf(pieces, params, writer);
}

/** The parts of a template; throws on one that is not ICU message syntax. */
export function parseTemplate(template: string): readonly MessageFormatElement[] {
  return parse(template, { ignoreTag: true, captureLocation: false });
}

function textOf(pieces: readonly Piece[], params: Params, writer: Writer): string {
  if (pieces.length === 1) return written(pieces[0]!, params, writer);
  const texts = pieces.map((piece) => written(piece, params, writer));
  // Joined, not added up: V8 keeps a sum as a tree of its pieces, with which `JSON.stringify` leaves its fast way.
  return texts.join('');
}

function written(piece: Piece, params: Params, writer: Writer): string {
  return typeof piece === 'string' ? piece : piece(params, writer);
}

/** `counted` is the number that `#` stands for: that of the plural around it. */
function pieceOf(element: MessageFormatElement, counted: string | null): Piece {
  switch (element.type) {
    case TYPE.literal:
      return element.value;
    case TYPE.pound:
      return counted === null ? '#' : (params, writer) => writer.value(counted, Number(valueOf(params, counted)));
    case TYPE.argument: {
      const { value: name } = element;
      return (params, writer) => writer.value(name, valueOf(params, name));
    }
    case TYPE.plural: {
      const { value: name } = element;
      const forms = piecesOf(element, name);
      return (params, writer) => {
        const value = Number(valueOf(params, name));
        return textOf(forms.get(`=${value}`) ?? forms.get(writer.plural(value)) ?? forms.get('other')!, params, writer);
      };
    }
    case TYPE.select: {
      const { value: name } = element;
      const forms = piecesOf(element, counted);
      return (params, writer) =>
        textOf(forms.get(String(valueOf(params, name))) ?? forms.get('other')!, params, writer);
    }
    default:
      throw new TypeError(`a template uses a part of ICU syntax that is not written here: type ${element.type}`);
  }
}

function piecesOf(
  { options }: PluralElement | SelectElement,
  counted: string | null,
): ReadonlyMap<string, readonly Piece[]> {
  return new Map(
    Object.entries(options).map(([key, { value }]) => [key, value.map((element) => pieceOf(element, counted))]),
  );
}

function valueOf(params: Params, name: string): Param {
  const value = params[name];
  if (value === undefined) throw new MissingParam(name);
  return value;
}
