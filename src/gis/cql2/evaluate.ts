import type { Geometry } from '../../geo/geometry.ts';
import { groundOfGeometry, shapesIntersect } from '../../geo/shapes/shapes-intersect.ts';
import type { Comparison, Expression, Operand } from './expression.ts';

/** What a filter is evaluated on. */
interface FilteredFeature {
  readonly geometry: Geometry | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** True, false, or null where a property is missing or of another type: unknown is not selected, and neither is its opposite. */
type Truth = boolean | null;

/** Whether a filter selects a feature. */
export function selects(filter: Expression, feature: FilteredFeature): boolean {
  return truthOf(filter, feature) === true;
}

function truthOf(filter: Expression, feature: FilteredFeature): Truth {
  if (typeof filter === 'boolean') return filter;
  switch (filter.op) {
    case 'and':
    case 'or':
      return joined(filter.args, filter.op === 'or', feature);
    case 'not': {
      const inner = truthOf(filter.args[0], feature);
      return inner === null ? null : !inner;
    }
    case 'isNull':
      return valueOf(filter.args[0], feature) === null;
    case 'like': {
      const [text, pattern] = filter.args.map((arg) => valueOf(arg, feature));
      return typeof text === 'string' && typeof pattern === 'string' ? isLike(text, pattern) : null;
    }
    case 'between': {
      const [value, low, high] = filter.args;
      return both(compared('>=', value, low, feature), compared('<=', value, high, feature));
    }
    case 'in': {
      const [value, list] = filter.args;
      let found: Truth = false;
      for (const one of list) {
        const same = compared('=', value, one, feature);
        if (same === true) return true;
        if (same === null) found = null;
      }
      return found;
    }
    case 's_intersects': {
      const ground = feature.geometry === null ? null : groundOfGeometry(feature.geometry);
      return ground === null ? null : filter.args[1].some((other) => shapesIntersect(ground, other));
    }
    default:
      return compared(filter.op, filter.args[0], filter.args[1], feature);
  }
}

/** `decisive` is the value that settles the answer whatever the others say. */
function joined(parts: readonly Expression[], decisive: boolean, feature: FilteredFeature): Truth {
  let result: Truth = !decisive;
  for (const part of parts) {
    const truth = truthOf(part, feature);
    if (truth === decisive) return decisive;
    if (truth === null) result = null;
  }
  return result;
}

function both(a: Truth, b: Truth): Truth {
  if (a === false || b === false) return false;
  return a === null || b === null ? null : true;
}

/** A moment in milliseconds since 1970, apart from plain numbers. */
interface Moment {
  readonly ms: number;
}

type Value = string | number | boolean | Moment | null;

function valueOf(operand: Operand, feature: FilteredFeature): Value {
  if (typeof operand !== 'object') return operand;
  if ('date' in operand) return { ms: Date.parse(operand.date) };
  if ('timestamp' in operand) return { ms: Date.parse(operand.timestamp) };
  if ('op' in operand) {
    const inner = valueOf(operand.args[0], feature);
    return typeof inner === 'string' ? inner.toLowerCase() : null;
  }
  const { properties } = feature;
  const value = Object.hasOwn(properties, operand.property) ? properties[operand.property] : null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function compared(op: Comparison, left: Operand, right: Operand, feature: FilteredFeature): Truth {
  const order = orderOf(valueOf(left, feature), valueOf(right, feature));
  if (order === null) return null;
  switch (op) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

const DATED = /^\d{4}-\d{2}-\d{2}/;

function orderOf(left: Value, right: Value): number | null {
  if (left === null || right === null) return null;
  if (isMoment(left) || isMoment(right)) return ordered(momentOf(left), momentOf(right));
  return typeof left === typeof right ? ordered(left, right) : null;
}

function ordered<T extends string | number | boolean>(left: T | null, right: T | null): number | null {
  if (left === null || right === null) return null;
  return left < right ? -1 : left > right ? 1 : 0;
}

function isMoment(value: Value): value is Moment {
  return typeof value === 'object' && value !== null;
}

/** A text counts as a moment next to one. */
function momentOf(value: Value): number | null {
  if (isMoment(value)) return value.ms;
  const ms = typeof value === 'string' && DATED.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** `%` is any text, `_` one character, a backslash takes the next character as it is. Takes at most the product of the lengths. */
function isLike(text: string, pattern: string): boolean {
  const letters = [...text];
  const parts = patternOf(pattern);
  let [at, part, star, retry] = [0, 0, -1, 0];
  while (at < letters.length) {
    const wanted = parts[part];
    if (wanted === ANY) [star, retry] = [part++, at];
    else if (wanted !== undefined && (wanted === ONE || wanted === letters[at])) [at, part] = [at + 1, part + 1];
    else if (star >= 0) [part, at] = [star + 1, ++retry];
    else return false;
  }
  while (parts[part] === ANY) part++;
  return part === parts.length;
}

const [ANY, ONE] = [Symbol('any'), Symbol('one')];

function patternOf(pattern: string): readonly (string | symbol)[] {
  const parts: (string | symbol)[] = [];
  const letters = [...pattern];
  for (let i = 0; i < letters.length; i++) {
    const letter = letters[i];
    if (letter === '\\' && i + 1 < letters.length) parts.push(letters[++i]);
    else parts.push(letter === '%' ? ANY : letter === '_' ? ONE : letter);
  }
  return parts;
}
