import { type Spread, widerSpread, widthAt } from "../../packages/queue/component/model/spreads/width.ts";
import { pointCount } from "../policies/home-slots.ts";
import type { LaneView, SearchResult } from "../policies/policy.ts";
import type { Trace } from "../scenarios/trace.ts";
import { CellLists } from "../structures/cell-lists.ts";
import { IndexedSet } from "../structures/indexed-set.ts";
import { LastChanges } from "../structures/last-changes.ts";
import type { Random } from "../structures/random.ts";

/** The ready jobs by place and by random point, with the times of their last changes. */
export class Lane implements LaneView {
  readonly cells: number;
  slots = 1;
  readonly #trace: Trace;
  readonly #places: CellLists;
  readonly #points: CellLists;
  readonly #lengths: Int32Array;
  readonly #busy: IndexedSet;
  readonly #changedAt: Float64Array;
  readonly #jobChangedAt: Float64Array;
  readonly #widths = new Map<number, Spread>();
  readonly #newPlaces: LastChanges;
  readonly #clock: () => number;
  readonly #newPoints = new LastChanges(pointCount);

  constructor(cells: number, trace: Trace, clock: () => number) {
    this.#clock = clock;
    this.cells = cells;
    this.#trace = trace;
    this.#places = new CellLists(cells, trace.jobs);
    this.#points = new CellLists(pointCount, trace.jobs);
    this.#lengths = new Int32Array(cells);
    this.#busy = new IndexedSet(cells);
    this.#changedAt = new Float64Array(cells).fill(Number.NEGATIVE_INFINITY);
    this.#jobChangedAt = new Float64Array(trace.jobs).fill(Number.NEGATIVE_INFINITY);
    this.#newPlaces = new LastChanges(cells);
  }

  get ready(): number {
    return this.#places.count;
  }

  isReady = (job: number): boolean => this.#places.cellOf(job) >= 0;
  lastOf = (cell: number): number => this.#places.back(cell);
  behind = (job: number): number => this.#places.behind(job);
  lengthOf = (cell: number): number => this.#lengths[cell] ?? 0;
  cellOf = (job: number): number => this.#places.cellOf(job);
  pointOf = (job: number): number => this.#trace.points[job] ?? 0;
  prefixOf = (job: number): number => this.#trace.prefixes[job] ?? 0;
  busyCell = (random: Random): number => this.#busy.draw(random);

  widthOf = (prefix: number): number => widthAt(this.#widths.get(prefix) ?? null, this.slots, this.#clock());

  /** Spreads a prefix over more slots, since its jobs queued up while a device waited. */
  widen(prefix: number): void {
    const wider = widerSpread(this.#widths.get(prefix) ?? null, this.slots, this.#clock());
    if (wider !== null) this.#widths.set(prefix, wider);
  }

  /** Sets the spread of a prefix at the start. */
  spread(prefix: number, width: number): void {
    this.#widths.set(prefix, { width, widenedAt: 0 });
  }

  widthChangedSince(prefix: number, since: number): boolean {
    return (this.#widths.get(prefix)?.widenedAt ?? Number.NEGATIVE_INFINITY) > since;
  }

  /** @param again whether it was released. Then it goes before later jobs. */
  add(job: number, cell: number, now: number, again: boolean): void {
    this.#places.add(job, cell, again);
    this.#points.add(job, this.pointOf(job));
    this.#lengths[cell] = this.lengthOf(cell) + 1;
    this.#busy.add(cell);
    this.#newPlaces.note(cell, now);
    this.#newPoints.note(this.pointOf(job), now);
    this.#note(job, cell, now);
  }

  take(job: number, now: number): void {
    const cell = this.cellOf(job);
    this.#places.remove(job);
    this.#points.remove(job);
    this.#lengths[cell] = this.lengthOf(cell) - 1;
    if (this.lengthOf(cell) === 0) this.#busy.remove(cell);
    this.#note(job, cell, now);
  }

  firstIn(from: number, to: number): number {
    const cell = this.#places.cellFrom(from);
    if (cell < 0) return -1;
    const width = to === from ? this.cells : (to - from + this.cells) % this.cells;
    return (cell - from + this.cells) % this.cells < width ? this.#places.front(cell) : -1;
  }

  byPoint(point: number): number {
    const cell = this.#points.cellFrom(point);
    return cell < 0 ? -1 : this.#points.front(cell);
  }

  /** Whether anything that a search has read was written since. */
  changedSince(found: SearchResult, since: number): boolean {
    return (
      found.read.some((job) => (this.#jobChangedAt[job] ?? 0) > since) ||
      found.scans.some(({ of, from, to }) => {
        const inserts = of === "places" ? this.#newPlaces : this.#newPoints;
        return inserts.latest(from, to) > since;
      })
    );
  }

  cellChangedSince(cell: number, since: number): boolean {
    return (this.#changedAt[cell] ?? 0) > since;
  }

  #note(job: number, cell: number, now: number): void {
    this.#jobChangedAt[job] = now;
    this.#changedAt[cell] = now;
  }
}
