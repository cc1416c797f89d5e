import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** The rules that apply now, and who set each. */
export type RulesShown = DonorSnapshot["ruleLayers"] & Pick<DonorSnapshot, "rules">;
