import { join } from "node:path";
import type { Facts } from "../../app/facts/facts.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import { DayBudget } from "./download/day-budget.ts";
import { budgetSpent, networkHold } from "./download/gate.ts";
import { TokenBucket } from "./download/token-bucket.ts";

/** The network allowance of models: whether, how fast, and how many bytes from the internet a day. */
export class NetworkAllowance {
  readonly #budget: DayBudget;
  readonly #bucket = new TokenBucket(null, performance.now());
  #hold: WaitReason | null = "not-a-member";
  #rules: Rules | null = null;
  #stopped = false;

  private constructor(budget: DayBudget) {
    this.#budget = budget;
  }

  /** Continues with the rest of this day's budget. */
  static async open(folder: string, log: Log): Promise<NetworkAllowance> {
    return new NetworkAllowance(await DayBudget.open(join(folder, "network.json"), log));
  }

  /** Updates facts and rules. */
  update(facts: Facts, rules: Rules): void {
    this.#hold = networkHold(facts, rules);
    this.#rules = rules;
    this.#bucket.setRate(rules.downloadKbps === null ? null : rules.downloadKbps * 125, performance.now());
  }

  /** The reason why facts and rules forbid network use now, or null. */
  get hold(): WaitReason | null {
    return this.#hold;
  }

  /** Whether models may use the network now, in either direction. */
  get isOpen(): boolean {
    return this.#hold === null && !this.#stopped;
  }

  /** The reason why the internet may not be used although the network may, or null. */
  internetHold(): WaitReason | null {
    if (this.#rules === null) return "not-a-member";
    return budgetSpent(this.#budget.spentOn(new Date()), this.#rules) ? "day-budget" : null;
  }

  /** Counts received bytes. Resolves when the rate allows more. */
  async received(bytes: number, from: "internet" | "office"): Promise<void> {
    if (from === "internet") this.#budget.count(bytes, new Date());
    await this.pace(bytes);
  }

  /** Counts bytes in either direction and waits until the rate allows more. */
  async pace(bytes: number): Promise<void> {
    let ms = this.#bucket.take(bytes, performance.now());
    // Waits in steps, since the rules may change or the download may stop.
    while (ms > 0 && !this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 250)));
      if (!this.isOpen) return;
      ms = this.#bucket.take(0, performance.now());
    }
  }

  /** Saves the used part of the day's budget. */
  async save(): Promise<void> {
    await this.#budget.save();
  }

  /** Ends all network use and releases everybody who waits. */
  stop(): void {
    this.#stopped = true;
  }
}
