import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("triggers");
const team = (name: string) => app.mutation("teams:create", { name });
const points = (id: unknown) => app.query("teams:points", { id });

test("a trigger sees each insert, update and delete with the document before and after", async () => {
  const id = await team("changes");
  const player = await app.mutation("teams:addPlayer", { team: id, name: "Ann", points: 5 });
  expect(await points(id)).toBe(5);
  await app.mutation("teams:setPoints", { id: player, points: 7 });
  expect(await points(id)).toBe(7);
  await app.mutation("teams:remove", { id });
  expect(await app.query("teams:players", { id })).toBe(0);
  expect(await app.query("teams:changes")).toEqual(["insert null 5", "update 5 7", "delete 7 null"]);
});

test("triggers of writes at the same time in one mutation run one after the other", async () => {
  const id = await team("parallel");
  await app.mutation("teams:addPlayers", { team: id, points: [1, 2, 3, 4, 5, 6, 7, 8] });
  expect(await points(id)).toBe(36);
});

test("mutations at the same time, whose triggers conflict, never wait for each other's lock", async () => {
  const id = await team("crowd");
  const [rounds, clients] = [5, Array.from({ length: 4 }, () => app.liveClient())];
  for (let round = 0; round < rounds; round += 1) {
    const player = { team: id, name: "one", points: 1 };
    await Promise.all(clients.map((client) => app.mutation("teams:addPlayer", player, client)));
  }
  expect(await points(id)).toBe(rounds * clients.length);
});

test("a trigger that throws fails the mutation with its error, and leaves no lock behind", async () => {
  const id = await team("negative");
  const add = (value: number) => app.mutation("teams:addPlayer", { team: id, name: "Bob", points: value });
  await expect(add(-1)).rejects.toMatchObject({ data: "No negative points" });
  expect(await app.query("teams:players", { id })).toBe(0);
  await Promise.all([expect(add(-2)).rejects.toThrow(), add(3)]);
  expect(await points(id)).toBe(3);
});

test("a custom function checks its own argument and adds to the context", async () => {
  const args = { greeting: "Hello" };
  expect(await app.query("teams:greet", { ...args, password: "open sesame" })).toEqual({
    text: "Hello, Ali",
    args: ["greeting"],
  });
  await expect(app.query("teams:greet", { ...args, password: "?" })).rejects.toMatchObject({
    data: "Wrong password",
  });
  await expect(app.query("teams:greet", args)).rejects.toThrow("missing the required field `password`");
});
