import type { RequestListener, Server } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch } from "./batch.ts";
import { batchJson, collectErrors, serve } from "./server.fixture.ts";

// Nobody waits in a test for the pause before another try.
vi.mock(import("node:timers/promises"), async (original) => ({
  ...(await original()),
  setTimeout: async () => await Promise.resolve(undefined as never),
}));

const batchWith = (status: string, completed: number): string => batchJson(status, { total: 2, completed });

let server: Server;
/** Each call takes the next step. The last step stays. */
let steps: RequestListener[];
let said: () => string;

beforeEach(async () => {
  said = collectErrors();
  server = await serve((request, response) => {
    const step = steps.length > 1 ? steps.shift() : steps[0];
    step?.(request, response);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.close();
});

const away: RequestListener = (request) => request.socket.destroy();
const answer =
  (body: string): RequestListener =>
  (_, response) =>
    void response.end(body);

it("follows a batch to its end while the server restarts", async () => {
  steps = [answer(batchWith("in_progress", 1)), away, away, answer(batchWith("completed", 2))];
  await batch.run(["wait", "b"]);
  expect(said()).toContain("Trying again until it answers");
  expect(said()).toContain("b: completed");
});

it("says of each outage once that it tries again", async () => {
  const half = answer(batchWith("in_progress", 1));
  steps = [half, away, away, half, away, away, answer(batchWith("completed", 2))];
  await batch.run(["wait", "b"]);
  expect(said().match(/Trying again until it answers/g)).toHaveLength(2);
});

it("says once for each reason why a batch waits", async () => {
  const waiting = (reason: string | null) =>
    answer(JSON.stringify({ ...(JSON.parse(batchWith("in_progress", 1)) as object), waits_for: reason }));
  const reasons = ["no_worker", "no_match", "no_worker", "busy", null].map(waiting);
  steps = [waiting(null), ...reasons, answer(batchWith("completed", 2))];
  await batch.run(["wait", "b"]);
  const told = said()
    .split("\n")
    .filter((line) => line.startsWith("b waits"));
  expect(told).toEqual([
    "b waits: no device donates now.",
    "b waits: no device that donates meets its requirements.",
  ]);
});

it("says at once that a server cannot be reached from the beginning", async () => {
  steps = [away];
  await expect(batch.run(["wait", "b"])).rejects.toMatchObject({ exitCode: 3 });
});
