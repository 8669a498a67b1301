/** A page cache that several files may share; the limit holds for all of them. */
export interface PageMemory {
  readonly pageBytes: number;
  /** Pages that are best loaded at once, so that several readers have room. */
  readonly atOnce: number;
  /** A slot to read a page into, which nobody finds until it is kept. */
  take(): number;
  /** Keeps what was read into a slot as a page of a file: the slots of a file's pages are in a map of its own. */
  keep(slot: number, file: Map<number, number>, page: number): void;
  /** Gives back a slot that could not be read into. */
  drop(slot: number): void;
  /** A slot that is wanted again stays longer. */
  touch(slot: number): void;
  bytes(slot: number): Uint8Array;
  view(slot: number): DataView;
}

/** Memory is taken in pieces of about so many bytes as it is needed, and then used again: pages of their own would keep the collector busy. */
const PIECE_BYTES = 1 << 20;

interface Slot {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Free to be used; wanted again since the hand came by; not wanted again; being read into. */
  state: 'free' | 'seen' | 'old' | 'taken';
  file: Map<number, number> | null;
  page: number;
}

/** The limit is passed only while more pages than it allows are being read, and what is over it is given up once few are. */
export function createPageMemory(pageBytes: number, maxBytes: number): PageMemory {
  const most = Math.max(8, Math.floor(maxBytes / pageBytes));
  const slots: Slot[] = [];
  let hand = 0;
  let beingRead = 0;

  /** Gives up what is over the limit, as far as it is not being read into. */
  function shrink(): void {
    for (let last = slots.at(-1); last !== undefined && last.state !== 'taken'; last = slots.at(-1)) {
      if (slots.length <= most) break;
      last.file?.delete(last.page);
      slots.pop();
    }
    if (hand >= slots.length) hand = 0;
  }

  function grow(): number {
    const first = slots.length;
    const room = first < most ? most - first : 1;
    const count = Math.min(room, Math.max(1, Math.floor(PIECE_BYTES / pageBytes)));
    const piece = new ArrayBuffer(count * pageBytes);
    for (let at = 0; at < piece.byteLength; at += pageBytes)
      slots.push({
        bytes: new Uint8Array(piece, at, pageBytes),
        view: new DataView(piece, at, pageBytes),
        state: 'free',
        file: null,
        page: 0,
      });
    hand = (first + 1) % slots.length;
    return first;
  }

  /** Goes round over all slots to the first that was not wanted again since the hand last came by; before a page is given up, all is used. */
  function next(): number {
    for (let looks = 2 * slots.length; looks > 0; looks--) {
      const number = hand;
      const slot = slots[number];
      hand = number + 1 < slots.length ? number + 1 : 0;
      if (slot.state === 'free') return number;
      if (slots.length < most) return grow();
      if (slot.state === 'old') return number;
      if (slot.state === 'seen') slot.state = 'old';
    }
    return grow();
  }

  return {
    pageBytes,
    atOnce: Math.ceil(most / 8),
    take() {
      // While many read at once, pages are not given up that nobody has looked at yet.
      if (slots.length > most && beingRead < most / 2) shrink();
      beingRead++;
      const number = next();
      const slot = slots[number];
      slot.file?.delete(slot.page);
      slot.file = null;
      slot.state = 'taken';
      return number;
    },
    keep(number, file, page) {
      const slot = slots[number];
      beingRead--;
      slot.file = file;
      slot.page = page;
      slot.state = 'old';
      file.set(page, number);
    },
    drop(number) {
      beingRead--;
      slots[number].state = 'free';
    },
    touch(number) {
      slots[number].state = 'seen';
    },
    bytes: (number) => slots[number].bytes,
    view: (number) => slots[number].view,
  };
}
