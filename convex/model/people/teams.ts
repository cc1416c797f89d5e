import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { spellCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { usableBy } from "../credits/wallet.ts";
import { boundedText, refuse } from "../refuse.ts";
import { holdingsOf } from "./holdings.ts";
import { currentMembers } from "./members.ts";

const maxTeams = 200;

export const teamRow = v.object({ teamId: v.id("teams"), name: v.string(), createdAt: v.number() });

/** The organization's teams, oldest first. */
export async function teamRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof teamRow>[]> {
  const teams = await currentTeams(ctx, organizationId);
  return teams.map(({ _id: teamId, name, createdAt }) => ({ teamId, name: visibleText(name), createdAt }));
}

/** The teams that were not removed, oldest first. */
export async function currentTeams(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"teams">[]> {
  return await ctx.db
    .query("teams")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("removedAt", undefined))
    .take(maxTeams);
}

/** Creates a team. Refuses: invalid, conflict (the name is taken, or there are too many). */
export async function createTeam(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: string,
  by: Act,
): Promise<Id<"teams">> {
  const name = await freeName(ctx, organizationId, given);
  const teamId = await ctx.db.insert("teams", { organizationId, name, createdAt: by.at });
  await record(ctx, { organizationId, ...by, action: "team.created", subject: teamId });
  return teamId;
}

/** Renames a team. Refuses: invalid, conflict. */
export async function renameTeam(
  ctx: MutationCtx,
  { _id: subject, organizationId, name: before }: Doc<"teams">,
  given: string,
  by: Act,
): Promise<void> {
  if (given.trim() === before) return;
  const name = await freeName(ctx, organizationId, given);
  await ctx.db.patch("teams", subject, { name });
  const detail = changesText([["name", before, name]]);
  await record(ctx, { organizationId, ...by, action: "team.changed", subject, detail });
}

async function freeName(ctx: QueryCtx, organizationId: Id<"organizations">, given: string): Promise<string> {
  const name = boundedText(given, "The team's name", limits.nameChars);
  const teams = await currentTeams(ctx, organizationId);
  if (teams.length === maxTeams) refuse("conflict", `There are at most ${String(maxTeams)} teams.`);
  if (teams.some((team) => team.name === name)) refuse("conflict", "A team of this name exists already.");
  return name;
}

/** Sets the teams of a member. */
export async function setTeamsOf(
  ctx: MutationCtx,
  member: Doc<"members">,
  teamIds: readonly Id<"teams">[],
  by: Act,
): Promise<void> {
  const { _id: subject, organizationId } = member;
  const wanted = [...new Set(teamIds)];
  const teams = await currentTeams(ctx, organizationId);
  const named = wanted.map(
    (id) => teams.find(({ _id }) => _id === id)?.name ?? refuse("not_found", "There is no such team."),
  );
  if (wanted.join() === member.teamIds.join()) return;
  await ctx.db.patch("members", subject, { teamIds: wanted });
  const before = member.teamIds.map((id) => teams.find(({ _id }) => _id === id)?.name ?? "a removed team");
  const detail = changesText([["teams", before, named]]);
  await record(ctx, { organizationId, ...by, action: "member.changed", subject, detail });
}

/** Removes a team. Refuses (conflict) while keys, devices or credits belong to it: nobody could use its credits afterwards. */
export async function removeTeam(ctx: MutationCtx, team: Doc<"teams">, by: Act): Promise<void> {
  if (team.removedAt !== undefined) return;
  const { _id: subject, organizationId } = team;
  const { keys, devices } = await holdingsOf(ctx, subject);
  if (keys + devices > 0) refuse("conflict", "Keys or devices belong to this team. Hand them over first.");
  const micro = await usableBy(ctx, subject);
  if (micro > 0n)
    refuse(
      "conflict",
      `This team has ${spellCredits(micro)}, which nobody could use afterwards. A member of it must give them to a key of the team first, on the page My credits. Then hand that key over. An administrator can take given credits back instead.`,
    );
  for (const member of await currentMembers(ctx, organizationId)) {
    if (!member.teamIds.includes(subject)) continue;
    await ctx.db.patch("members", member._id, { teamIds: member.teamIds.filter((id) => id !== subject) });
  }
  await ctx.db.patch("teams", subject, { removedAt: by.at, allowance: undefined });
  await record(ctx, { organizationId, ...by, action: "team.removed", subject });
}
