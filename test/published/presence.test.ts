import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("presence");
const [long, short] = [60_000, 400];

type Tokens = { readonly roomToken: string; readonly sessionToken: string };
type Member = { readonly userId: string; readonly online: boolean };

const beat = (roomId: string, userId: string, interval: number, sessionId = `${roomId} ${userId}`) =>
  app.mutation("presence:heartbeat", { roomId, userId, sessionId, interval }) as Promise<Tokens>;

/** Subscribes to a room: each entry lists its members, as "Ann" or "(Ann)" when offline. */
function watchRoom(roomToken: string): () => readonly string[] {
  const seen = app.watch("presence:list", { roomToken }) as readonly (readonly Member[])[];
  return () =>
    seen.map((members) =>
      members
        .map(({ userId, online }) => (online ? userId : `(${userId})`))
        .sort()
        .join(" "),
    );
}

test("members of a room appear at their first heartbeat, and later ones change nothing", async () => {
  const { roomToken } = await beat("lobby", "Ann", long);
  const seen = watchRoom(roomToken);
  await expect.poll(seen).toEqual(["Ann"]);
  await beat("lobby", "Bob", long);
  await expect.poll(seen).toEqual(["Ann", "Ann Bob"]);
  for (let count = 0; count < 5; count += 1) await beat("lobby", "Ann", long);
  await beat("lobby", "Cleo", long);
  await expect.poll(seen).toEqual(["Ann", "Ann Bob", "Ann Bob Cleo"]);
});

test("a member who disconnects is offline at once, unless another session is open", async () => {
  const first = await beat("office", "Ann", long, "laptop");
  const second = await beat("office", "Ann", long, "phone");
  const seen = watchRoom(first.roomToken);
  await expect.poll(seen).toEqual(["Ann"]);
  expect(await app.query("presence:rooms", { userId: "Ann" })).toContain("office");
  await app.mutation("presence:disconnect", { sessionToken: first.sessionToken });
  expect(seen()).toEqual(["Ann"]);
  await app.mutation("presence:disconnect", { sessionToken: second.sessionToken });
  await expect.poll(seen).toEqual(["Ann", "(Ann)"]);
  expect(await app.query("presence:rooms", { userId: "Ann" })).not.toContain("office");
});

test("a member without heartbeats is offline after some time, and online again at the next one", async () => {
  const { roomToken } = await beat("lab", "Dora", short);
  await beat("lab", "Emil", long);
  const seen = watchRoom(roomToken);
  await expect.poll(seen).toContain("(Dora) Emil");
  await beat("lab", "Dora", long);
  await expect.poll(() => seen().at(-1)).toBe("Dora Emil");
});

test("heartbeats in time keep a member online", async () => {
  const { roomToken } = await beat("garden", "Fred", 1_000);
  const seen = watchRoom(roomToken);
  await expect.poll(seen).toEqual(["Fred"]);
  for (let count = 0; count < 12; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await beat("garden", "Fred", 1_000);
  }
  expect(seen()).toEqual(["Fred"]);
});

test("a member's data reaches the others", async () => {
  const { roomToken } = await beat("hall", "Gina", long);
  const seen = app.watch("presence:list", { roomToken });
  await app.mutation("presence:setData", { roomId: "hall", userId: "Gina", data: { status: "typing" } });
  await expect.poll(() => seen.at(-1)).toMatchObject([{ userId: "Gina", data: { status: "typing" } }]);
});
