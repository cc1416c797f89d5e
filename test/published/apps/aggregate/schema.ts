import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  scores: defineTable({ player: v.string(), score: v.number() }),
  photos: defineTable({ album: v.string(), url: v.string() }).index("by_album", ["album"]),
  songs: defineTable({ title: v.string() }),
});
