import { deflateSync } from 'node:zlib';
import { round } from '../../../geo/round.ts';
import { PAGE } from './palette.ts';

/** What pdfkit keeps of the content of a page. */
interface PageContent {
  compress: boolean;
  buffer: Uint8Array[];
  readonly data: Record<string, unknown>;
  write(bytes: Uint8Array): void;
}

/** Of pdfkit's resources of a page, what is added to by name. */
interface PageResources {
  readonly content: PageContent;
  readonly fonts: Record<string, unknown>;
  readonly ext_gstates: Record<string, unknown>;
}

/** What marks are made with. Null: not set on this page yet. */
interface Style {
  fill: string | null;
  stroke: string | null;
  opacity: number | null;
  lineWidth: number | null;
  join: number | null;
  dash: string | null;
}

const UNSET: Style = { fill: null, stroke: null, opacity: null, lineWidth: null, join: null, dash: null };
/** What a page begins with (ISO 32000-1, table 52). */
const FIRST: Style = { fill: '0 0 0', stroke: '0 0 0', opacity: 1, lineWidth: 1, join: 0, dash: '[] 0' };
const JOINS = { miter: 0, round: 1, bevel: 2 } as const;
/** How far the control points of a quarter of a circle are from its ends, as a share of the radius. */
const KAPPA = (4 * (Math.SQRT2 - 1)) / 3;
/** 0.27 ms a page; level 6 takes twice that for a ninth of the bytes. */
const DEFLATE = { level: 3 } as const;

export type PdfDocument = ReturnType<typeof createDocument>;

/**
 * A PDF that pdfkit writes, but for the marks on its pages: they are gathered as one text and packed as one stream when the page is
 * full, of which pdfkit would write each operator by itself. Places are in points from the upper left corner of the page. A colour
 * or a width is written when a mark needs another than the one before.
 */
export function createDocument(file: PDFKit.PDFDocument) {
  const opacities = new Map<number, { readonly name: string; readonly ref: unknown }>();
  const stack: { readonly set: Style; readonly wanted: Style }[] = [];
  let [out, path, isOpen] = ['', '', false];
  let [set, wanted]: [Style, Style] = [{ ...UNSET }, { ...FIRST }];
  const page = (): PageResources => (file as unknown as { page: PageResources }).page;

  function endPage(): void {
    if (!isOpen) return;
    const { content } = page();
    // What pdfkit began the page with turns it upside down.
    content.buffer = [];
    content.compress = false;
    content.data['Filter'] = 'FlateDecode';
    content.write(deflateSync(Buffer.from(out, 'latin1'), DEFLATE));
    isOpen = false;
  }

  function prepareFill(): void {
    if (set.fill !== wanted.fill) out += `${(set.fill = wanted.fill)} rg\n`;
    if (set.opacity === wanted.opacity) return;
    set.opacity = wanted.opacity;
    out += `/${opacityName(wanted.opacity!)} gs\n`;
  }

  function opacityName(opacity: number): string {
    let known = opacities.get(opacity);
    if (known === undefined) {
      const ref = file.ref({ Type: 'ExtGState', ca: opacity });
      ref.end(undefined);
      opacities.set(opacity, (known = { name: `Gs${opacities.size + 1}`, ref }));
    }
    page().ext_gstates[known.name] = known.ref;
    return known.name;
  }

  function prepareStroke(): void {
    if (set.stroke !== wanted.stroke) out += `${(set.stroke = wanted.stroke)} RG\n`;
    if (set.lineWidth !== wanted.lineWidth) out += `${(set.lineWidth = wanted.lineWidth)} w\n`;
    if (set.join !== wanted.join) out += `${(set.join = wanted.join)} j\n`;
    if (set.dash !== wanted.dash) out += `${(set.dash = wanted.dash)} d\n`;
  }

  function paint(operator: string): void {
    out += `${path}${operator}\n`;
    path = '';
  }

  const curve = (x1: number, y1: number, x2: number, y2: number, x: number, y: number): void =>
    void (path += `${short(x1)} ${up(y1)} ${short(x2)} ${up(y2)} ${short(x)} ${up(y)} c\n`);

  const doc = {
    /** As pdfkit has it, for what no mark is: fonts, properties, what was written. */
    file,
    outline: file.outline,
    addPage(): void {
      endPage();
      file.addPage();
      [out, path, isOpen] = ['', '', true];
      [set, wanted] = [{ ...UNSET }, { ...FIRST }];
    },
    end(): void {
      endPage();
      file.end();
    },
    /** A place of this page that links lead to, `top` points below its upper edge. */
    addDestination(name: string, top: number): void {
      file.addNamedDestination(name, 'XYZ', null, top, null);
    },
    goTo(x: number, y: number, width: number, height: number, name: string): void {
      file.goTo(x, y, width, height, name);
    },
    save() {
      stack.push({ set: { ...set }, wanted: { ...wanted } });
      out += 'q\n';
      return doc;
    },
    restore() {
      ({ set, wanted } = stack.pop()!);
      out += 'Q\n';
      return doc;
    },
    moveTo(x: number, y: number) {
      path += `${short(x)} ${up(y)} m\n`;
      return doc;
    },
    lineTo(x: number, y: number) {
      path += `${short(x)} ${up(y)} l\n`;
      return doc;
    },
    closePath() {
      path += 'h\n';
      return doc;
    },
    rect(x: number, y: number, width: number, height: number) {
      path += `${short(x)} ${up(y + height)} ${short(width)} ${short(height)} re\n`;
      return doc;
    },
    roundedRect(x: number, y: number, width: number, height: number, corner: number) {
      const r = Math.min(corner, width / 2, height / 2);
      const near = r * (1 - KAPPA);
      const [right, bottom] = [x + width, y + height];
      doc.moveTo(x + r, y).lineTo(right - r, y);
      curve(right - near, y, right, y + near, right, y + r);
      doc.lineTo(right, bottom - r);
      curve(right, bottom - near, right - near, bottom, right - r, bottom);
      doc.lineTo(x + r, bottom);
      curve(x + near, bottom, x, bottom - near, x, bottom - r);
      doc.lineTo(x, y + r);
      curve(x, y + near, x + near, y, x + r, y);
      return doc.closePath();
    },
    circle(x: number, y: number, r: number) {
      const far = r * KAPPA;
      doc.moveTo(x - r, y);
      curve(x - r, y - far, x - far, y - r, x, y - r);
      curve(x + far, y - r, x + r, y - far, x + r, y);
      curve(x + r, y + far, x + far, y + r, x, y + r);
      curve(x - far, y + r, x - r, y + far, x - r, y);
      return doc.closePath();
    },
    fillColor(color: string) {
      wanted.fill = rgb(color);
      return doc;
    },
    strokeColor(color: string) {
      wanted.stroke = rgb(color);
      return doc;
    },
    fillOpacity(opacity: number) {
      wanted.opacity = opacity;
      return doc;
    },
    lineWidth(width: number) {
      wanted.lineWidth = width;
      return doc;
    },
    lineJoin(join: keyof typeof JOINS) {
      wanted.join = JOINS[join];
      return doc;
    },
    dash(length: number, { space }: { readonly space: number }) {
      wanted.dash = `[${length} ${space}] 0`;
      return doc;
    },
    undash() {
      wanted.dash = FIRST.dash;
      return doc;
    },
    fill(color?: string) {
      if (color !== undefined) doc.fillColor(color);
      prepareFill();
      paint('f');
      return doc;
    },
    stroke(color?: string) {
      if (color !== undefined) doc.strokeColor(color);
      prepareStroke();
      paint('S');
      return doc;
    },
    fillAndStroke(fill: string, stroke: string) {
      doc.fillColor(fill).strokeColor(stroke);
      prepareFill();
      prepareStroke();
      paint('B');
      return doc;
    },
    clip() {
      paint('W n');
      return doc;
    },
    /** Writes operators of text as they are, from the lower edge of the page up, in a colour. `font` is the name of the font on pages, `ref` what it stands for. */
    text(operators: string, font: string, ref: unknown, color: string): void {
      page().fonts[font] ??= ref;
      doc.fillColor(color);
      prepareFill();
      out += operators;
    },
  };
  return doc;
}

/** Hundredths of a point are finer than printers print. */
function short(value: number): number {
  return round(value, 2);
}

/** Points from the lower edge of the page. */
function up(y: number): number {
  return short(PAGE.height - y);
}

const colours = new Map<string, string>();

/** A colour `#rrggbb` as the numbers of a PDF. */
function rgb(color: string): string {
  let known = colours.get(color);
  if (known === undefined) {
    const hex = Number.parseInt(color.slice(1), 16);
    known = [hex >> 16, (hex >> 8) & 255, hex & 255].map((part) => round(part / 255, 5)).join(' ');
    colours.set(color, known);
  }
  return known;
}
