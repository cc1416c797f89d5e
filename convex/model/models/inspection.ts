import { type Infer, v } from "convex/values";
import { jobBytesOf } from "../../../app/devices/filter.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { memoryNeed } from "../../../app/models/memory-need.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import type { inspectionOutcome } from "../validators/models.ts";
import { hostsFrom, parseModelLink, parseRepository, type Repository } from "./modelLink.ts";
import { readRemoteModel, type RemoteOptions } from "./remoteModel.ts";
import { readRepository } from "./repositoryFiles.ts";

/** An operator may set which hosts the backend reads models from. */
declare const process: { readonly env: { readonly MODEL_HOSTS?: string } };

type Outcome = Infer<typeof inspectionOutcome>;

const readWithinMs = 60_000;

/** The member's last inspection; null without one. */
export async function inspectionOf(
  ctx: QueryCtx,
  memberId: Id<"members">,
): Promise<Doc<"modelInspections"> | null> {
  return await ctx.db
    .query("modelInspections")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .unique();
}

/** Begins to read a model's file, in place of the member's last inspection. Refuses: invalid. */
export async function inspect(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  link: string,
): Promise<void> {
  if (parseModelLink(link) === null && parseRepository(link) === null)
    refuse(
      "invalid",
      "Enter a link to a GGUF file or to its repository: https://huggingface.co/…, user/repository/file.gguf, or user/repository.",
    );
  const last = await inspectionOf(ctx, memberId);
  if (last !== null) await ctx.db.delete("modelInspections", last._id);
  const inspectionId = await ctx.db.insert("modelInspections", { organizationId, memberId, link });
  await ctx.scheduler.runAfter(0, internal.models.inspect, { inspectionId, link });
}

/** Reads the file. Never rejects. `countPage`: as `countFitting`, of the member's organization. */
export async function readFacts(
  typed: string,
  countPage: (needsBytes: number, cursor: string | null) => Promise<Infer<typeof fitCounts>>,
): Promise<Outcome> {
  const options = { hosts: hostsFrom(process.env.MODEL_HOSTS), signal: AbortSignal.timeout(readWithinMs) };
  const link = parseModelLink(typed);
  const repository = link === null ? parseRepository(typed) : null;
  if (repository !== null) return await readFiles(repository, options);
  if (link === null) return { kind: "failed", why: "This is no link to a GGUF file." };
  const outcome = await readRemoteModel(link, options);
  if (outcome.kind === "failed") return { kind: "failed", why: visibleText(outcome.why) };
  const { model } = outcome;
  const needsBytes = memoryNeed(model);
  let [devices, fitting, cursor]: [number, number, string | null] = [0, 0, null];
  do {
    const page = await countPage(needsBytes, cursor);
    devices += page.devices;
    fitting += page.fitting;
    cursor = page.next;
  } while (cursor !== null);
  return {
    kind: "read",
    modelId: visibleText(link.file.replace(/\.gguf$/i, ""))
      .toLowerCase()
      .slice(0, 200),
    source: link.source,
    sizeBytes: model.sizeBytes,
    sha256: model.sha256,
    contextTokens: model.contextTokens,
    licence: visibleText(model.license ?? "").slice(0, 200),
    hasTemplate: model.template !== null,
    architecture: visibleText(model.architecture).slice(0, 200),
    needsBytes,
    devices,
    fitting,
  };
}

async function readFiles(repository: Repository, options: RemoteOptions): Promise<Outcome> {
  const outcome = await readRepository(repository, options);
  if (outcome.kind === "failed") return { kind: "failed", why: visibleText(outcome.why) };
  return {
    kind: "files",
    files: outcome.files.map(({ link, file, sizeBytes }) => ({ link, file: visibleText(file), sizeBytes })),
  };
}

/** Stores an outcome, unless the member has begun another inspection. */
export async function storeOutcome(
  ctx: MutationCtx,
  inspectionId: Id<"modelInspections">,
  outcome: Outcome,
): Promise<void> {
  const row = await ctx.db.get("modelInspections", inspectionId);
  if (row !== null) await ctx.db.patch("modelInspections", inspectionId, { outcome });
}

const perPage = 250;

/** Devices in service, those of them that could run a model, and the cursor of the next ones; null at the end. */
export const fitCounts = v.object({
  devices: v.number(),
  fitting: v.number(),
  next: v.union(v.string(), v.null()),
});

/** Counts on through an organization's devices. The list of devices finds the same ones by `fitsGb`. */
export async function countFitting(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  needsBytes: number,
  cursor: string | null,
): Promise<Infer<typeof fitCounts>> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("deviceListings")
    .withIndex("by_name", (q) => q.eq("organizationId", organizationId))
    .paginate({ numItems: perPage, cursor });
  const memories = page.map(jobBytesOf).filter((bytes) => bytes !== null);
  return {
    devices: memories.length,
    fitting: memories.filter((bytes) => bytes >= needsBytes).length,
    next: isDone ? null : continueCursor,
  };
}
