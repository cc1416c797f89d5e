import { join } from "node:path";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import { DayBudget } from "./download/day-budget.ts";
import { budgetSpent, type GateFacts, type GateRules, networkHold } from "./download/gate.ts";
import { TokenBucket } from "./download/token-bucket.ts";

export type NetworkRules = GateRules & Pick<Rules, "downloadKbps">;

/** How much of the network models may use: whether at all, how fast, and of the internet how much a day. */
export class NetworkAllowance {
  readonly #budget: DayBudget;
  readonly #bucket = new TokenBucket(null, performance.now());
  #hold: WaitReason | null = "not-a-member";
  #rules: NetworkRules | null = null;
  #stopped = false;

  private constructor(budget: DayBudget) {
    this.#budget = budget;
  }

  /** Goes on with what this day's budget has left. */
  static async open(folder: string, log: Log): Promise<NetworkAllowance> {
    return new NetworkAllowance(await DayBudget.open(join(folder, "network.json"), log));
  }

  /** New facts or rules. */
  look(facts: GateFacts, rules: NetworkRules): void {
    this.#hold = networkHold(facts, rules);
    this.#rules = rules;
    this.#bucket.setRate(rules.downloadKbps === null ? null : rules.downloadKbps * 125, performance.now());
  }

  /** Why models may not move over the network now, as far as facts and rules say; null: they may. */
  get hold(): WaitReason | null {
    return this.#hold;
  }

  /** Whether models may move over the network now: given as well as taken. */
  get isOpen(): boolean {
    return this.#hold === null && !this.#stopped;
  }

  /** Why the internet may not be used although the network may; null: it may. */
  internetHold(): WaitReason | null {
    if (this.#rules === null) return "not-a-member";
    return budgetSpent(this.#budget.spentOn(new Date()), this.#rules) ? "day-budget" : null;
  }

  /** Bytes that came: resolves when more fit the rules' rate. */
  async came(bytes: number, from: "internet" | "office"): Promise<void> {
    if (from === "internet") this.#budget.count(bytes, new Date());
    await this.pace(bytes);
  }

  /** Counts bytes, in whichever direction, and waits until more fit the rules' rate. */
  async pace(bytes: number): Promise<void> {
    let ms = this.#bucket.take(bytes, performance.now());
    // In steps: the rules may change meanwhile, or the download be stopped.
    while (ms > 0 && !this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 250)));
      if (!this.isOpen) return;
      ms = this.#bucket.take(0, performance.now());
    }
  }

  /** Writes down what was used of the day's budget. */
  async save(): Promise<void> {
    await this.#budget.save();
  }

  /** Nothing moves from now on, and nobody is kept waiting. */
  stop(): void {
    this.#stopped = true;
  }
}
