import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  teams: defineTable({ name: v.string(), points: v.number() }),
  players: defineTable({ team: v.id("teams"), name: v.string(), points: v.number() }).index("by_team", [
    "team",
  ]),
  changes: defineTable({ text: v.string() }),
});
