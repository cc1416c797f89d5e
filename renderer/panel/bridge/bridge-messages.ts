import { z } from "zod";
import type { Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** Panel → headless donor, as JSON text on the WebSocket `/bridge`. */
export type ToDonor = {
  readonly type: "call";
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
};

/** Headless donor → panel. The donor is our own program on our own origin: only the envelope is checked. */
export type FromDonor =
  | { readonly type: "reply"; readonly id: number; readonly reply: Reply<unknown> }
  | { readonly type: "delta"; readonly delta: Partial<DonorSnapshot> };

const replySchema = z.union([
  z.object({ kind: z.literal("ok"), value: z.unknown() }),
  z.object({ kind: z.literal("refused"), message: z.string() }),
]);

const fromDonorSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("reply"), id: z.number(), reply: replySchema }),
  z.object({ type: z.literal("delta"), delta: z.record(z.string(), z.unknown()) }),
]);

/** The message in a WebSocket frame, or null for anything that is none. */
export function parseFromDonor(frame: unknown): FromDonor | null {
  if (typeof frame !== "string") return null;
  try {
    const parsed = fromDonorSchema.safeParse(JSON.parse(frame));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
