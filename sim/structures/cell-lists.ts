import { CellBits } from "./cell-bits.ts";

/** Members (numbers from 0) in the cells of a ring, in order of arrival within a cell. */
export class CellLists {
  readonly #bits: CellBits;
  readonly #fronts: Int32Array;
  readonly #backs: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** The cell of each member, or -1. */
  readonly #cells: Int32Array;
  #count = 0;

  constructor(cells: number, members: number) {
    this.#bits = new CellBits(cells);
    this.#fronts = new Int32Array(cells).fill(-1);
    this.#backs = new Int32Array(cells).fill(-1);
    this.#next = new Int32Array(members);
    this.#previous = new Int32Array(members);
    this.#cells = new Int32Array(members).fill(-1);
  }

  get count(): number {
    return this.#count;
  }

  cellOf = (member: number): number => this.#cells[member] ?? -1;
  front = (cell: number): number => this.#fronts[cell] ?? -1;
  back = (cell: number): number => this.#backs[cell] ?? -1;
  /** The next member in the same cell, or -1. */
  behind = (member: number): number => this.#next[member] ?? -1;
  before = (member: number): number => this.#previous[member] ?? -1;

  add(member: number, cell: number, atFront = false): void {
    const neighbor = atFront ? this.front(cell) : this.back(cell);
    this.#cells[member] = cell;
    this.#next[member] = atFront ? neighbor : -1;
    this.#previous[member] = atFront ? -1 : neighbor;
    if (neighbor < 0) {
      this.#bits.add(cell);
      this.#fronts[cell] = member;
      this.#backs[cell] = member;
    } else if (atFront) {
      this.#previous[neighbor] = member;
      this.#fronts[cell] = member;
    } else {
      this.#next[neighbor] = member;
      this.#backs[cell] = member;
    }
    this.#count += 1;
  }

  remove(member: number): void {
    const cell = this.cellOf(member);
    const next = this.behind(member);
    const previous = this.before(member);
    if (previous < 0) this.#fronts[cell] = next;
    else this.#next[previous] = next;
    if (next < 0) this.#backs[cell] = previous;
    else this.#previous[next] = previous;
    if (this.front(cell) < 0) this.#bits.remove(cell);
    this.#cells[member] = -1;
    this.#count -= 1;
  }

  /** The first occupied cell at or after `cell`, around the ring; -1 if all are empty. */
  cellFrom(cell: number): number {
    if (this.#count === 0) return -1;
    const found = this.#bits.from(cell % this.#bits.size);
    return found < 0 ? this.#bits.from(0) : found;
  }

  /** The last occupied cell at or before `cell`, around the ring; -1 if all are empty. */
  cellUpTo(cell: number): number {
    if (this.#count === 0) return -1;
    const size = this.#bits.size;
    const found = this.#bits.upTo((cell + size) % size);
    return found < 0 ? this.#bits.upTo(size - 1) : found;
  }
}
