/** One address may use this part of the budget, so that it cannot take all of it from the others. */
const shareOfAddress = 1 / 4;

/** The bytes that one connection or request uses. Close it when nothing is kept anymore. */
export type Account = {
  readonly bytes: number;
  /** Changes the bytes in use. Returns false, and changes nothing, if a larger number does not fit the budget. */
  readonly set: (bytes: number) => boolean;
};

/** A budget of memory, in bytes, for everything that clients without a verified identity make the process keep. */
export class ByteBudget {
  readonly #total: number;
  readonly #perAddress: number;
  readonly #byAddress = new Map<string, number>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
    this.#perAddress = total * shareOfAddress;
  }

  get used(): number {
    return this.#used;
  }

  /** @param address null if it is not known; then only the whole budget counts. */
  open(address: string | null): Account {
    let bytes = 0;
    const set = (next: number): boolean => {
      const change = next - bytes;
      if (change > 0 && !this.#fits(address, change)) return false;
      bytes = next;
      this.#add(address, change);
      return true;
    };
    return {
      get bytes() {
        return bytes;
      },
      set,
    };
  }

  #fits(address: string | null, change: number): boolean {
    if (this.#used + change > this.#total) return false;
    return address === null || (this.#byAddress.get(address) ?? 0) + change <= this.#perAddress;
  }

  #add(address: string | null, change: number): void {
    this.#used += change;
    if (address === null) return;
    const left = (this.#byAddress.get(address) ?? 0) + change;
    if (left <= 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}
