/** A page cache that several files may share; the limit holds for all of them. */
export interface PageMemory {
  readonly pageBytes: number;
  /** The slots that a file's pages are in, by the number of the page. */
  openFile(): Map<number, number>;
  /** A slot to read a page into, which nobody finds until it is kept; -1 when all of them are being read into. */
  take(): number;
  /** Keeps what was read into a slot as a page of a file. */
  keep(slot: number, file: Map<number, number>, page: number): void;
  /** Gives back a slot that could not be read into. */
  drop(slot: number): void;
  /** A slot that is looked at stays longer. */
  touch(slot: number): void;
  bytes(slot: number): Uint8Array;
  view(slot: number): DataView;
}

/** Memory is taken in pieces of about so many bytes as it is needed, and then used again: pages of their own would keep the collector busy. */
const PIECE_BYTES = 1 << 20;
const FREE = 0;
const SEEN = 1;
const OLD = 2;
const TAKEN = 3;

export function createPageMemory(pageBytes: number, maxBytes: number): PageMemory {
  const maxSlots = Math.max(8, Math.floor(maxBytes / pageBytes));
  const states = new Uint8Array(maxSlots);
  const pages = new Float64Array(maxSlots);
  const files: (Map<number, number> | null)[] = [];
  const bytes: Uint8Array[] = [];
  const views: DataView[] = [];
  let hand = 0;

  function grow(): number {
    const first = bytes.length;
    const count = Math.min(maxSlots - first, Math.max(1, Math.floor(PIECE_BYTES / pageBytes)));
    const piece = new ArrayBuffer(count * pageBytes);
    for (let i = 0; i < count; i++) {
      bytes.push(new Uint8Array(piece, i * pageBytes, pageBytes));
      views.push(new DataView(piece, i * pageBytes, pageBytes));
      files.push(null);
    }
    hand = first;
    return first;
  }

  /** Goes round over all slots and takes the first that was not looked at since it last came by. */
  function nextSlot(): number {
    for (let looks = 2 * bytes.length; looks > 0; looks--) {
      const slot = hand;
      hand = hand + 1 < bytes.length ? hand + 1 : 0;
      // Before a page is given up, all the memory is used.
      if (states[slot] !== FREE && states[slot] !== TAKEN && bytes.length < maxSlots) return grow();
      if (states[slot] === SEEN) states[slot] = OLD;
      else if (states[slot] !== TAKEN) return slot;
    }
    return bytes.length < maxSlots ? grow() : -1;
  }

  return {
    pageBytes,
    openFile: () => new Map(),
    take() {
      const slot = nextSlot();
      if (slot < 0) return slot;
      files[slot]?.delete(pages[slot]);
      files[slot] = null;
      states[slot] = TAKEN;
      return slot;
    },
    keep(slot, file, page) {
      files[slot] = file;
      pages[slot] = page;
      states[slot] = SEEN;
      file.set(page, slot);
    },
    drop(slot) {
      states[slot] = FREE;
    },
    touch(slot) {
      states[slot] = SEEN;
    },
    bytes: (slot) => bytes[slot],
    view: (slot) => views[slot],
  };
}
