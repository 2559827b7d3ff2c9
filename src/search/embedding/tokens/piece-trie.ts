/** The pieces of a unigram tokenizer, found by their first characters. Used by unigram. */

interface Node {
  next: Map<string, Node>;
  id: number | undefined;
}

export class PieceTrie {
  readonly #root: Node = { next: new Map(), id: undefined };

  add(piece: string, id: number): void {
    let node = this.#root;
    for (const symbol of piece) {
      let next = node.next.get(symbol);
      if (next === undefined) {
        next = { next: new Map(), id: undefined };
        node.next.set(symbol, next);
      }
      node = next;
    }
    node.id = id;
  }

  /** Calls `found` for every piece that the symbols have at `start`, the shortest first. */
  match(symbols: readonly string[], start: number, found: (id: number, end: number) => void): void {
    let node: Node | undefined = this.#root;
    for (let at = start; at < symbols.length; at++) {
      node = node.next.get(symbols[at] as string);
      if (node === undefined) return;
      if (node.id !== undefined) found(node.id, at + 1);
    }
  }
}
