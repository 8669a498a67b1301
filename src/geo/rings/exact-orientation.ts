/** Bound of the rounding error of the plain determinant (Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic", section 4.1). */
const ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53;

/**
 * On which side of the directed line a -> b the point c lies: 1 left, -1 right, 0 exactly on the line.
 * The sign is exact for all finite doubles: where rounding could decide it, the determinant is taken again in whole numbers.
 */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): -1 | 0 | 1 {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const det = left - right;
  const doubt = ERROR_BOUND * (Math.abs(left) + Math.abs(right));
  if (det > doubt) return 1;
  if (-det > doubt) return -1;
  // A difference of doubles is 0 only when they are equal, so these zeros are exact.
  if ((ax === cx || by === cy) && (ay === cy || bx === cx)) return 0;
  return exactSign(ax, ay, bx, by, cx, cy);
}

function exactSign(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): -1 | 0 | 1 {
  const values = [ax, ay, bx, by, cx, cy].map(parts);
  const lowest = Math.min(...values.map((value) => value.exponent));
  const [pax, pay, pbx, pby, pcx, pcy] = values.map((value) => value.mantissa << BigInt(value.exponent - lowest)) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const det = (pax - pcx) * (pby - pcy) - (pay - pcy) * (pbx - pcx);
  return det > 0n ? 1 : det < 0n ? -1 : 0;
}

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

/** A finite double as mantissa x 2^exponent, exactly. */
function parts(value: number): { mantissa: bigint; exponent: number } {
  if (value === 0) return { mantissa: 0n, exponent: 0 };
  double[0] = value;
  const word = bits[0] ?? 0n;
  const biased = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: value < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 };
}
