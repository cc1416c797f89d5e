import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** The rules as they hold, and who decided each. */
export type RulesShown = DonorSnapshot["ruleLayers"] & Pick<DonorSnapshot, "rules">;
