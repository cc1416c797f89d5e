import { type Infer, type Value } from "convex/values";
import { validate } from "convex-helpers/validators";
import { entryText } from "../../../app/receipts/receipt.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { policyVersions } from "../policies/current.ts";
import { keptSignature } from "../requests/signature.ts";
import type { deviceReport } from "../validators/answers.ts";

type Settlement = {
  readonly deviceId: Id<"devices">;
  readonly deviceClass: string | null;
  readonly report: Infer<typeof deviceReport>;
  /** The report as the queue has it, with the device's signature. */
  readonly kept: Value | undefined;
  readonly priceMicro: bigint;
  readonly at: number;
};

/** Writes the receipt of an answered job. Writes none if the device is of an earlier version, which does not sign enough for one. */
export async function writeReceipt(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, deviceClass, report, kept, priceMicro, at }: Settlement,
): Promise<void> {
  const signature = signatureIn(kept);
  const device = await ctx.db.get("devices", deviceId);
  if (signature === null || device?.signingKey === undefined || report.model === undefined) return;
  const { organizationId, jobId, modelId } = order;
  const { attemptId, requestHash, answerHash, resultHash, value } = signature;
  const entry = entryText({
    claim: {
      attemptId,
      deviceId,
      jobId,
      requestHash,
      answerHash,
      resultHash,
      report: { ...report, model: report.model },
    },
    device: { key: device.signingKey, signature: value },
    settled: {
      organizationId,
      jobId,
      model: modelId,
      deviceClass,
      policy: await policyVersions(ctx, device),
      priceMicro: String(priceMicro),
      at,
    },
  });
  await ctx.db.insert("receipts", { organizationId, jobId, entry });
}

function signatureIn(report: Value | undefined): Infer<typeof keptSignature> | null {
  if (typeof report !== "object" || report === null || !("signature" in report)) return null;
  const { signature } = report;
  return validate(keptSignature, signature) ? signature : null;
}
