import { heldPrefixes } from "../figures.ts";
import type { DeviceView, Positions } from "../policies/policy.ts";
import { CellLists } from "../structures/cell-lists.ts";
import { IndexedSet } from "../structures/indexed-set.ts";
import { mix, randomFrom } from "../structures/random.ts";
import { inLargestGaps } from "./positions.ts";
import { deviceState } from "./states.ts";
import { WaiterRing } from "./waiter-ring.ts";

/** The devices, as rows across typed arrays. */
export class Fleet {
  readonly devices: number;
  readonly states: Uint8Array;
  /** The job of each device, or -1. */
  readonly jobs: Int32Array;
  /** Counts a device's interruptions. Events of an earlier epoch are void. */
  readonly epochs: Int32Array;
  /** Devices whose person came during a transaction. */
  readonly leaving: Uint8Array;
  /** Devices that were woken promptly for their current job. */
  readonly woken: Uint8Array;
  /** Living devices that wait. A wake or a poll reaches them. */
  readonly waiting: IndexedSet;
  /** The positions of waiting devices, including dead ones until their leases expire. */
  readonly waiterRing: WaiterRing;
  /** Devices that accept jobs, busy or not, by their positions. */
  readonly homes: CellLists;
  readonly #positions: Int32Array;
  readonly #held: Int32Array;

  constructor(
    devices: number,
    cells: number,
    seed: number,
    clock: () => number,
    positions: Positions = "hash",
  ) {
    this.devices = devices;
    this.states = new Uint8Array(devices).fill(deviceState.away);
    this.jobs = new Int32Array(devices).fill(-1);
    this.epochs = new Int32Array(devices);
    this.leaving = new Uint8Array(devices);
    this.woken = new Uint8Array(devices);
    this.waiting = new IndexedSet(devices);
    this.waiterRing = new WaiterRing(cells, devices, clock);
    this.homes = new CellLists(cells, devices);
    this.#positions = new Int32Array(devices);
    if (positions === "hash") {
      for (let device = 0; device < devices; device += 1) {
        this.#positions[device] = mix(device ^ mix(seed)) % cells;
      }
    } else this.#positions.set(inLargestGaps(devices, cells, randomFrom(mix(seed))));
    this.#held = new Int32Array(devices * heldPrefixes).fill(-1);
  }

  stateOf = (device: number): number => this.states[device] ?? deviceState.away;
  jobOf = (device: number): number => this.jobs[device] ?? -1;
  epochOf = (device: number): number => this.epochs[device] ?? 0;
  positionOf = (device: number): number => this.#positions[device] ?? 0;

  interrupt(device: number): void {
    this.epochs[device] = this.epochOf(device) + 1;
  }

  /** The policy's view of a device. */
  view(device: number): DeviceView {
    const position = this.positionOf(device);
    return {
      id: device,
      position,
      hasHome: this.homes.behind(device) < 0,
      watched: this.waiterRing.cellOf(device),
      nextHome: Math.max(0, this.homes.cellFrom(position + 1)),
      latestPrefix: this.#held[device * heldPrefixes] ?? -1,
      holds: (prefix) => this.holds(device, prefix),
    };
  }

  holds(device: number, prefix: number): boolean {
    return this.#indexOf(device, prefix) < heldPrefixes;
  }

  /** Makes it the device's latest prefix and drops the least recently used one. */
  hold(device: number, prefix: number): void {
    const first = device * heldPrefixes;
    const last = Math.min(this.#indexOf(device, prefix), heldPrefixes - 1);
    for (let at = last; at > 0; at -= 1) this.#held[first + at] = this.#held[first + at - 1] ?? -1;
    this.#held[first] = prefix;
  }

  #indexOf(device: number, prefix: number): number {
    const first = device * heldPrefixes;
    for (let at = 0; at < heldPrefixes; at += 1) if (this.#held[first + at] === prefix) return at;
    return heldPrefixes;
  }
}
