import { CellLists } from "../structures/cell-lists.ts";
import { LastChanges } from "../structures/last-changes.ts";

/**
 * The positions of waiting devices, and the last change in a range. A reader of a range conflicts with devices
 * that come or go there.
 */
export class WaiterRing extends CellLists {
  readonly #changes: LastChanges;
  readonly #clock: () => number;

  constructor(cells: number, members: number, clock: () => number) {
    super(cells, members);
    this.#changes = new LastChanges(cells);
    this.#clock = clock;
  }

  override add(member: number, cell: number, atFront = false): void {
    super.add(member, cell, atFront);
    this.#changes.note(cell, this.#clock());
  }

  override remove(member: number): void {
    const cell = this.cellOf(member);
    super.remove(member);
    if (cell >= 0) this.#changes.note(cell, this.#clock());
  }

  /** Whether a device came or went in the cells [from, to) since then. Wraps around the ring if `to` <= `from`. */
  changedSince(from: number, to: number, since: number): boolean {
    return this.#changes.latest(from, to) > since;
  }
}
