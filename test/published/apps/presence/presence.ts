import { Presence } from "@convex-dev/presence";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { components } from "./components";

const presence = new Presence(components.presence);

export const heartbeat = mutation({
  args: { roomId: v.string(), userId: v.string(), sessionId: v.string(), interval: v.number() },
  handler: (ctx, { roomId, userId, sessionId, interval }) =>
    presence.heartbeat(ctx, roomId, userId, sessionId, interval),
});

export const list = query({
  args: { roomToken: v.string() },
  handler: (ctx, { roomToken }) => presence.list(ctx, roomToken),
});

export const disconnect = mutation({
  args: { sessionToken: v.string() },
  handler: (ctx, { sessionToken }) => presence.disconnect(ctx, sessionToken),
});

export const rooms = query({
  args: { userId: v.string() },
  handler: async (ctx, { userId }) =>
    (await presence.listUser(ctx, userId, true)).map(({ roomId }) => roomId),
});

export const setData = mutation({
  args: { roomId: v.string(), userId: v.string(), data: v.any() },
  handler: (ctx, { roomId, userId, data }) => presence.updateRoomUser(ctx, roomId, userId, data),
});
