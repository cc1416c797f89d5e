import type { Infer } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { memoryNeed } from "../../../app/models/memory-need.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { refuse } from "../refuse.ts";
import type { inspectionOutcome } from "../validators.ts";
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

/** Reads the file. Never rejects. */
export async function readFacts(typed: string, fleet: () => Promise<readonly number[]>): Promise<Outcome> {
  const options = { hosts: hostsFrom(process.env.MODEL_HOSTS), signal: AbortSignal.timeout(readWithinMs) };
  const link = parseModelLink(typed);
  const repository = link === null ? parseRepository(typed) : null;
  if (repository !== null) return await readFiles(repository, options);
  if (link === null) return { kind: "failed", why: "This is no link to a GGUF file." };
  const outcome = await readRemoteModel(link, options);
  if (outcome.kind === "failed") return { kind: "failed", why: visibleText(outcome.why) };
  const { model } = outcome;
  const memories = await fleet();
  const needsBytes = memoryNeed(model);
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
    devices: memories.length,
    fitting: memories.filter((bytes) => bytes >= needsBytes).length,
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

const perPage = 100;
const maxDevices = 1_000;

/** The memory of each device that is online or was, in bytes, as far as its limits allow. 0 where it is unknown. */
export async function memoriesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<readonly number[]> {
  const memories: number[] = [];
  for (const online of [true, false]) {
    let cursor: string | null = null;
    while (memories.length < maxDevices) {
      const paginationOpts = { numItems: perPage, cursor };
      const page = await queue.workers.list(ctx, organizationId, { online, paginationOpts });
      for (const { capabilities } of page.page) memories.push((capabilities?.memoryMb ?? 0) * 2 ** 20);
      if (page.isDone) break;
      cursor = page.continueCursor;
    }
  }
  return memories.slice(0, maxDevices);
}
