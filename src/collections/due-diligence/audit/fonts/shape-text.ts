import { Blob, Buffer as TextBuffer, BufferFlag, ClusterLevel, Direction, Face, Font, shape } from 'harfbuzzjs';

/** A glyph where it stands; numbers in units of the font. */
export interface PlacedGlyph {
  readonly id: number;
  /** What it stands for; empty where another glyph of its letters says it. */
  readonly codePoints: readonly number[];
  readonly advance: number;
  readonly xOffset: number;
  readonly yOffset: number;
}

interface Shaper {
  /** Glyphs from left to right. */
  shape(text: string, isRightToLeft: boolean): readonly PlacedGlyph[];
}

/** Sets letters by the rules that their font has for its script. */
export function createShaper(sfnt: Uint8Array): Shaper {
  const font = new Font(new Face(new Blob(sfnt)));
  return {
    shape(text, isRightToLeft) {
      const buffer = new TextBuffer();
      buffer.addText(text);
      buffer.setFlags(BufferFlag.REMOVE_DEFAULT_IGNORABLES);
      buffer.setClusterLevel(ClusterLevel.CHARACTERS);
      buffer.guessSegmentProperties();
      buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
      shape(font, buffer);
      const infos = buffer.getGlyphInfos();
      const positions = buffer.getGlyphPositions();
      const clusters = infos.map(({ cluster }) => cluster);
      const texts = textsOf(
        text,
        clusters,
        positions.map(({ xAdvance }) => xAdvance),
      );
      return infos.map(({ codepoint }, i) => {
        const { xAdvance, xOffset, yOffset } = positions[i]!;
        return { id: codepoint, codePoints: texts[i]!, advance: xAdvance, xOffset, yOffset };
      });
    },
  };
}

/** Each character once, at the widest of the glyphs that stand for it: from where their cluster begins to where the next does. */
function textsOf(
  text: string,
  clusters: readonly number[],
  advances: readonly number[],
): readonly (readonly number[])[] {
  const starts = [...new Set(clusters)].toSorted((a, b) => a - b);
  const ends = new Map(starts.map((start, i) => [start, starts[i + 1] ?? text.length]));
  const widest = new Map<number, number>();
  for (const [i, start] of clusters.entries()) {
    const known = widest.get(start);
    if (known === undefined || advances[i]! > advances[known]!) widest.set(start, i);
  }
  return clusters.map((start, i) => {
    if (widest.get(start) !== i) return [];
    return Array.from(text.slice(start === starts[0] ? 0 : start, ends.get(start)), (one) => one.codePointAt(0)!);
  });
}
