import { expect, test } from "vitest";
import { api } from "./api.ts";
import { deployment, httpClient, uniqueName } from "./deployment.ts";

const site = deployment.siteUrl;

test("a route answers with its status, headers and body", async () => {
  const response = await fetch(`${site}/hello?name=${encodeURIComponent("Ünal")}`);
  expect([response.status, response.headers.get("x-fixture"), await response.text()]).toEqual([
    200,
    "yes",
    "hello Ünal",
  ]);
});

test("a route by prefix reads the body and writes to the database", async () => {
  const channel = uniqueName();
  const response = await fetch(`${site}/messages/${channel}`, { method: "POST", body: "from outside" });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ id: expect.any(String) });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["from outside"]);
});

test("a response arrives while it is being written", async () => {
  const started = Date.now();
  const response = await fetch(`${site}/ticks?count=5`);
  const arrivals: number[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    arrivals.push(Date.now() - started);
    text += decoder.decode(part, { stream: true });
  }
  expect(text).toBe("tick 0\ntick 1\ntick 2\ntick 3\ntick 4\n");
  expect(arrivals.length).toBeGreaterThanOrEqual(4);
  expect(arrivals.at(-1)! - arrivals[0]!).toBeGreaterThan(250);
});

test("an unknown route is 404, also for a known path with another method", async () => {
  expect((await fetch(`${site}/nothing`)).status).toBe(404);
  expect((await fetch(`${site}/hello`, { method: "DELETE" })).status).toBe(404);
});

test("an action that throws is 500 and says so in JSON", async () => {
  const response = await fetch(`${site}/fails`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: expect.any(String) });
});
