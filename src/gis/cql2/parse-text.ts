import { parseWkt, WktError } from '../../geo/shapes/wkt.ts';
import { readExpression } from './read-expression.ts';
import { CQL2_LIMITS, Cql2Error, type Expression, quoted } from './expression.ts';

/**
 * Reads a filter in CQL2 text: comparisons, AND, OR, NOT, LIKE, BETWEEN, IN, IS NULL, CASEI, DATE, TIMESTAMP and S_INTERSECTS.
 *
 * @param names the properties a filter may name; null: any.
 * @throws Cql2Error that says what was wanted, what came and at which character, from 1.
 */
export function parseCql2Text(text: string, names: ReadonlySet<string> | null): Expression {
  if (text.length > CQL2_LIMITS.characters)
    throw new Cql2Error(`wanted at most ${CQL2_LIMITS.characters} characters, got ${text.length}`);
  const parser = new TextParser(tokenize(text), text);
  return readExpression(parser.whole(), names);
}

type TokenKind = 'word' | 'name' | 'text' | 'number' | 'sign' | 'end';

interface Token {
  readonly kind: TokenKind;
  readonly value: string;
  /** Characters before it. */
  readonly at: number;
}

const TOKEN =
  /\s+|(?<name>"(?:[^"]|"")+")|(?<text>'(?:[^'\\]|''|\\['\\%_]|\\(?=[^']))*')|(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<sign><>|<=|>=|[=<>(),])|(?<word>[\p{L}_:][\p{L}\p{N}_.:-]*)/uy;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null)
      throw new Cql2Error(`wanted CQL2 at character ${at + 1}, got ${quoted(text.slice(at, at + 20))}`);
    const [kind, value] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    if (kind !== undefined && value !== undefined) tokens.push({ kind: kind as TokenKind, value, at });
  }
  return [...tokens, { kind: 'end', value: 'the end', at: text.length }];
}

const RESERVED = new Set(['and', 'or', 'not', 'like', 'between', 'in', 'is', 'null', 'true', 'false']);
const GEOMETRIES = new Set([
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
  'geometrycollection',
]);

/** Descends from OR to single operands and gives the tree as CQL2 JSON, which `readExpression` checks. */
class TextParser {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], text: string) {
    this.#tokens = tokens;
    this.#text = text;
  }

  whole(): unknown {
    const tree = this.#or();
    if (this.#peek().kind !== 'end') this.#fail('the end of the filter');
    return tree;
  }

  #or(): unknown {
    return this.#joined('or', () => this.#joined('and', () => this.#not()));
  }

  #joined(op: 'and' | 'or', part: () => unknown): unknown {
    const args = [part()];
    while (this.#takeWord(op)) args.push(part());
    return args.length === 1 ? args[0] : { op, args };
  }

  #not(): unknown {
    if (!this.#takeWord('not')) return this.#predicate();
    return this.#deeper(() => ({ op: 'not', args: [this.#not()] }));
  }

  #predicate(): unknown {
    if (this.#takeSign('(')) {
      const inner = this.#deeper(() => this.#or());
      this.#want(')');
      return inner;
    }
    const token = this.#peek();
    if (token.kind === 'word' && this.#tokens[this.#next + 1]?.value === '(') {
      const name = token.value.toLowerCase();
      if (name === 's_intersects') return this.#intersects();
      if (/^[sta]_/.test(name))
        throw new Cql2Error(
          `wanted S_INTERSECTS at character ${token.at + 1}, the one spatial function here, got ${quoted(token.value)}`,
        );
    }
    if (this.#isWord('true') || this.#isWord('false')) {
      const follower = this.#tokens[this.#next + 1];
      if (follower?.kind !== 'sign' || follower.value === ')') return this.#take().value.toLowerCase() === 'true';
    }
    return this.#compared(this.#operand());
  }

  #compared(left: unknown): unknown {
    const sign = this.#peek();
    if (sign.kind === 'sign' && /[=<>]/.test(sign.value)) {
      this.#next++;
      return { op: sign.value, args: [left, this.#operand()] };
    }
    if (this.#takeWord('is')) {
      const negated = this.#takeWord('not');
      if (!this.#takeWord('null')) this.#fail('NULL');
      return negate(negated, { op: 'isNull', args: [left] });
    }
    const negated = this.#takeWord('not');
    if (this.#takeWord('like')) return negate(negated, { op: 'like', args: [left, this.#operand()] });
    if (this.#takeWord('between')) {
      const low = this.#operand();
      if (!this.#takeWord('and')) this.#fail('AND');
      return negate(negated, { op: 'between', args: [left, low, this.#operand()] });
    }
    if (this.#takeWord('in')) {
      this.#want('(');
      const values = [this.#operand()];
      while (this.#takeSign(',')) values.push(this.#operand());
      this.#want(')');
      return negate(negated, { op: 'in', args: [left, values] });
    }
    return this.#fail('a comparison');
  }

  #operand(): unknown {
    const token = this.#take();
    if (token.kind === 'number') return Number(token.value);
    if (token.kind === 'text') return textOf(token.value);
    if (token.kind === 'name') return { property: token.value.slice(1, -1).replaceAll('""', '"') };
    if (token.kind !== 'word') return this.#fail('a property or a value', token);
    const word = token.value.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    if (RESERVED.has(word)) return this.#fail('a property or a value', token);
    if (this.#peek().value !== '(' || this.#peek().kind !== 'sign') return { property: token.value };
    return this.#function(token);
  }

  #function(token: Token): unknown {
    const name = token.value.toLowerCase();
    this.#want('(');
    if (name === 'casei') {
      const inner = this.#deeper(() => this.#operand());
      this.#want(')');
      return { op: 'casei', args: [inner] };
    }
    if (name !== 'date' && name !== 'timestamp')
      throw new Cql2Error(`wanted CASEI, DATE or TIMESTAMP at character ${token.at + 1}, got ${quoted(token.value)}`);
    const value = this.#take();
    if (value.kind !== 'text') return this.#fail('a day in quotes', value);
    this.#want(')');
    return { [name]: textOf(value.value) };
  }

  #intersects(): unknown {
    this.#next++;
    this.#want('(');
    const property = this.#operand();
    this.#want(',');
    const geometry = this.#geometry();
    this.#want(')');
    return { op: 's_intersects', args: [property, geometry] };
  }

  #geometry(): unknown {
    const token = this.#take();
    const word = token.value.toLowerCase();
    if (token.kind !== 'word' || (word !== 'bbox' && !GEOMETRIES.has(word)))
      return this.#fail('BBOX(...) or a geometry in WKT', token);
    // The geometry ends with the bracket that closes its first one; WKT has a reader of its own.
    let depth = 0;
    let end = token.at;
    do {
      const part = this.#take();
      if (part.kind === 'end') return this.#fail('a closing bracket', part);
      if (part.kind === 'sign') depth += part.value === '(' ? 1 : part.value === ')' ? -1 : 0;
      else if (depth === 0 && part.kind !== 'word') return this.#fail('an opening bracket', part);
      end = part.at + part.value.length;
    } while (depth > 0 || this.#tokens[this.#next - 1]?.value !== ')');
    const text = this.#text.slice(token.at, end);
    if (word === 'bbox') {
      const inside = text.slice(text.indexOf('(') + 1, -1);
      return { bbox: inside.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part))) };
    }
    try {
      return parseWkt(text);
    } catch (error) {
      if (!(error instanceof WktError)) throw error;
      throw new Cql2Error(`the geometry at character ${token.at + 1} cannot be read: ${error.message}`);
    }
  }

  #deeper<T>(part: () => T): T {
    if (++this.#depth > CQL2_LIMITS.depth)
      throw new Cql2Error(`wanted at most ${CQL2_LIMITS.depth} levels of brackets, got more`);
    const found = part();
    this.#depth--;
    return found;
  }

  #peek(): Token {
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)];
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #isWord(word: string): boolean {
    const token = this.#peek();
    return token.kind === 'word' && token.value.toLowerCase() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#next++;
    return true;
  }

  #takeSign(sign: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'sign' || token.value !== sign) return false;
    this.#next++;
    return true;
  }

  #want(sign: string): void {
    if (!this.#takeSign(sign)) this.#fail(quoted(sign));
  }

  #fail(wanted: string, { value, at }: Token = this.#peek()): never {
    throw new Cql2Error(`wanted ${wanted} at character ${at + 1}, got ${quoted(value)}`);
  }
}

function negate(negated: boolean, expression: unknown): unknown {
  return negated ? { op: 'not', args: [expression] } : expression;
}

/** A quote inside a text is written twice, or after a backslash; the backslashes of LIKE stay. */
function textOf(token: string): string {
  return token.slice(1, -1).replaceAll("''", "'").replaceAll("\\'", "'");
}
