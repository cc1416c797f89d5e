import { Turns } from "./turns.ts";

/** Turns that are always taken. Tasks wait until the test gives them their turn. */
export class ManualTurns extends Turns {
  readonly #tasks: (() => void)[] = [];

  override get isBusy(): boolean {
    return true;
  }

  override run(task: () => void): boolean {
    this.#tasks.push(task);
    return false;
  }

  get waiting(): number {
    return this.#tasks.length;
  }

  /** Gives the next task its turn. */
  next(): void {
    this.#tasks.shift()?.();
  }
}
