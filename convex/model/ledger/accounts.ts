import type { Id } from "../../_generated/dataModel.js";

/** Where credits stand: made at issuance (which is negative), spent by keys, held in escrow, earned by devices. */
export type AccountKind = "issuance" | "key" | "escrow" | "device";

export const accountKinds: readonly AccountKind[] = ["issuance", "key", "escrow", "device"];

export const issuanceOf = (organizationId: Id<"organizations">): string => `issuance:${organizationId}`;
export const keyAccount = (apiKeyId: Id<"apiKeys">): string => `key:${apiKeyId}`;
export const escrowOf = (organizationId: Id<"organizations">): string => `escrow:${organizationId}`;
export const deviceAccount = (deviceId: Id<"devices">): string => `device:${deviceId}`;

/** The kind that an account's name starts with. */
export function kindOf(account: string): AccountKind {
  const kind = accountKinds.find((candidate) => account.startsWith(`${candidate}:`));
  if (kind === undefined) throw new Error(`not an account: ${account}`);
  return kind;
}
