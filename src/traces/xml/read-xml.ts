import { SaxesParser } from 'saxes';

/** An element that was read. Names come without their prefix. */
export interface XmlNode {
  /** The namespace; empty without one. */
  readonly ns: string;
  readonly name: string;
  /** The text directly inside it, in one piece. */
  readonly text: string;
  readonly children: readonly XmlNode[];
}

interface OpenNode extends XmlNode {
  text: string;
  readonly children: OpenNode[];
}

const MAX_DEPTH = 64;
const MAX_NODES = 5_000_000;

/**
 * The root element of a whole XML text. A document type declaration is refused, so that there are no entities but the
 * five of XML itself. @throws Error with the line where the text is not XML.
 */
export function readXml(text: string): XmlNode {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: OpenNode[] = [];
  let root: OpenNode | null = null;
  let nodes = 0;
  parser.on('doctype', () => {
    throw new Error('wanted XML without a document type declaration, got one');
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local }) => {
    if (open.length >= MAX_DEPTH) throw new Error(`wanted at most ${MAX_DEPTH} elements inside each other, got more`);
    if (++nodes > MAX_NODES) throw new Error(`wanted at most ${MAX_NODES} elements, got more`);
    const node: OpenNode = { ns: uri, name: local, text: '', children: [] };
    open.at(-1)?.children.push(node);
    root ??= node;
    open.push(node);
  });
  const addText = (piece: string): void => {
    const node = open.at(-1);
    if (node !== undefined) node.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  if (root === null) throw new Error('wanted an element, got none');
  return root;
}

/** The first child with the name, whatever its namespace, or null. */
export function childOf(node: XmlNode, name: string): XmlNode | null {
  return node.children.find((child) => child.name === name) ?? null;
}

/** All children with the name. */
export function childrenOf(node: XmlNode, name: string): readonly XmlNode[] {
  return node.children.filter((child) => child.name === name);
}

/** The text of the first child with the name, without white space around it; null where it is not there or empty. */
export function textOf(node: XmlNode, name: string): string | null {
  const text = childOf(node, name)?.text.trim() ?? '';
  return text === '' ? null : text;
}
