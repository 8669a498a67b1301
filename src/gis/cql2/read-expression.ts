import { groundOfBox, type Ground } from '../../geo/shapes/shapes-intersect.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { boxesOf, readBox } from '../boxes.ts';
import { isRecord } from '../../is-record.ts';
import { nearestName } from '../../nearest-name.ts';
import {
  type Comparison,
  COMPARISONS,
  CQL2_LIMITS,
  Cql2Error,
  type Expression,
  type Operand,
  type PropertyRef,
  quoted,
} from './expression.ts';

/** The name of a feature's geometry in a filter. */
export const GEOMETRY_NAME = 'geometry';

/**
 * Checks a filter in CQL2 JSON.
 *
 * @param names the properties a filter may name; null: any.
 * @throws Cql2Error.
 */
export function readExpression(value: unknown, names: ReadonlySet<string> | null): Expression {
  return new Reader(names).expression(value, 0);
}

class Reader {
  readonly #names: ReadonlySet<string> | null;
  #nodes = 0;

  constructor(names: ReadonlySet<string> | null) {
    this.#names = names;
  }

  expression(value: unknown, depth: number): Expression {
    this.#count(depth);
    if (typeof value === 'boolean') return value;
    if (!isRecord(value) || typeof value['op'] !== 'string')
      throw new Cql2Error(`wanted a predicate, got ${quoted(value)}`);
    const { op } = value;
    const args = listOf(value['args'], op);
    const inner = depth + 1;
    if (op === 'and' || op === 'or') {
      if (args.length < 2) throw new Cql2Error(`wanted two or more arguments of ${op}, got ${args.length}`);
      return { op, args: args.map((arg) => this.expression(arg, inner)) };
    }
    if (op === 'not') return { op, args: [this.expression(exactly(args, 1, op)[0], inner)] };
    if (op === 'isNull') return { op, args: [this.#operand(exactly(args, 1, op)[0], inner)] };
    if (op === 'like') return { op, args: this.#pattern(this.#pair(args, op, inner)) };
    if (op === 'between') {
      const [left, low, high] = exactly(args, 3, op).map((arg) => this.#operand(arg, inner));
      return { op, args: [left!, low!, high!] };
    }
    if (op === 'in') {
      const [left, values] = exactly(args, 2, op);
      return { op, args: [this.#operand(left, inner), listOf(values, op).map((one) => this.#operand(one, inner))] };
    }
    if (op === 's_intersects') {
      const [property, geometry] = exactly(args, 2, op);
      return { op, args: [this.#geometryName(property), groundsOf(geometry)] };
    }
    if ((COMPARISONS as readonly string[]).includes(op))
      return { op: op as Comparison, args: this.#pair(args, op, inner) };
    throw new Cql2Error(
      `wanted one of and, or, not, ${COMPARISONS.join(', ')}, like, between, in, isNull, s_intersects, got ${quoted(op)}`,
    );
  }

  #pair(args: readonly unknown[], op: string, depth: number): readonly [Operand, Operand] {
    const [left, right] = exactly(args, 2, op);
    return [this.#operand(left, depth), this.#operand(right, depth)];
  }

  #operand(value: unknown, depth: number): Operand {
    this.#count(depth);
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (isRecord(value)) {
      if (typeof value['property'] === 'string') return this.#property(value['property']);
      if (typeof value['date'] === 'string') return { date: dayOf(value['date'], DAY, 'a day such as 2020-12-31') };
      if (typeof value['timestamp'] === 'string')
        return { timestamp: dayOf(value['timestamp'], TIME, 'a time such as 2020-12-31T00:00:00Z') };
      if (value['op'] === 'casei')
        return {
          op: 'casei',
          args: [this.#operand(exactly(listOf(value['args'], 'casei'), 1, 'casei')[0], depth + 1)],
        };
    }
    throw new Cql2Error(`wanted a property, a text, a number, a date or CASEI, got ${quoted(value)}`);
  }

  /** A pattern is compared with every text at every place, so it is short. */
  #pattern(args: readonly [Operand, Operand]): readonly [Operand, Operand] {
    const length = patternLength(args[1]);
    if (length === null) throw new Cql2Error(`wanted a text as the pattern of LIKE, got ${quoted(args[1])}`);
    if (length > CQL2_LIMITS.pattern)
      throw new Cql2Error(`wanted a pattern of at most ${CQL2_LIMITS.pattern} characters, got ${length}`);
    return args;
  }

  #property(property: string): PropertyRef {
    if (this.#names === null || this.#names.has(property)) return { property };
    const nearest = nearestName(property, [...this.#names]);
    const hint = nearest === null ? 'the queryables of the collection list them' : `did you mean ${nearest}?`;
    throw new Cql2Error(`there is no property ${quoted(property)}; ${hint}`);
  }

  #geometryName(value: unknown): PropertyRef {
    if (isRecord(value) && value['property'] === GEOMETRY_NAME) return { property: GEOMETRY_NAME };
    throw new Cql2Error(`wanted the property ${GEOMETRY_NAME} in S_INTERSECTS, got ${quoted(value)}`);
  }

  #count(depth: number): void {
    if (depth > CQL2_LIMITS.depth) throw new Cql2Error(`wanted at most ${CQL2_LIMITS.depth} levels, got more`);
    if (++this.#nodes > CQL2_LIMITS.nodes) throw new Cql2Error(`wanted at most ${CQL2_LIMITS.nodes} parts, got more`);
  }
}

/** Null for what is no text. */
function patternLength(operand: Operand): number | null {
  if (typeof operand === 'string') return operand.length;
  return typeof operand === 'object' && 'op' in operand ? patternLength(operand.args[0]) : null;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function dayOf(text: string, form: RegExp, wanted: string): string {
  if (!form.test(text) || Number.isNaN(Date.parse(text))) throw new Cql2Error(`wanted ${wanted}, got ${quoted(text)}`);
  return text;
}

function listOf(value: unknown, op: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Cql2Error(`wanted a list of arguments of ${op}, got ${quoted(value)}`);
}

function exactly(args: readonly unknown[], count: number, op: string): readonly unknown[] {
  if (args.length !== count) throw new Cql2Error(`wanted ${count} arguments of ${op}, got ${args.length}`);
  return args;
}

function groundsOf(value: unknown): readonly Ground[] {
  if (isRecord(value) && Array.isArray(value['bbox'])) {
    const box = readBox(value['bbox'] as unknown[]);
    if (box === null) throw new Cql2Error(`wanted west, south, east, north in degrees, got ${quoted(value['bbox'])}`);
    return boxesOf(box).map(groundOfBox);
  }
  const laidOut = toShape(value);
  if (laidOut.shape === null) throw new Cql2Error(`wanted a geometry in degrees or a bbox: ${laidOut.fault.message}`);
  const { shape } = laidOut;
  const paths = [shape.points, ...shape.lines, ...shape.polygons.flat()];
  const positions = paths.reduce((sum, path) => sum + path.length / 2, 0);
  if (positions > CQL2_LIMITS.positions)
    throw new Cql2Error(`wanted a geometry of at most ${CQL2_LIMITS.positions} positions, got ${positions}`);
  return [shape];
}
