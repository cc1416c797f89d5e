import { AddressCount } from "./address-count.ts";
import { type AnonymousLimits, anonymousLimits, type GivenLimits } from "./anonymous-limits.ts";
import { ByteBudget } from "./byte-budget.ts";
import { Refusals } from "./refusals.ts";
import { Turns } from "./turns.ts";

/** The limits for clients without a verified identity, and what such clients use now, over all ports. */
export type Admission = {
  readonly limits: AnonymousLimits;
  readonly budget: ByteBudget;
  readonly turns: Turns;
  readonly refusals: Refusals;
  /** WebSockets, by address. */
  readonly webSockets: AddressCount;
};

export function createAdmission(given: GivenLimits = {}): Admission {
  const limits = anonymousLimits(given);
  return {
    limits,
    budget: new ByteBudget(limits.totalBytes),
    turns: new Turns(),
    refusals: new Refusals(),
    webSockets: new AddressCount(limits.connectionsPerAddress),
  };
}
