import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Gleaner } from "./gleaner.ts";

type Sent = {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A server that records what it is sent, and answers as Gleaner would. */
let server: Server;
let gleaner: Gleaner;
let sent: Sent[];

const job = {
  id: "j1",
  object: "job",
  status: "queued",
  waits_for: null,
  endpoint: "/v1/chat/completions",
  model: "m",
  created_at: 1,
  started_at: null,
  ended_at: null,
  price_micro: null,
  error: null,
};
const opinion = { votes: 3, agreed: 2, confidence: 0.7, escalated: false };

beforeEach(async () => {
  sent = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { url, headers } = request;
      sent.push({ url, headers, body: text === "" ? {} : (JSON.parse(text) as Sent["body"]) });
      const isAsync = headers["prefer"] === "respond-async";
      response.writeHead(isAsync ? 202 : 200).end(JSON.stringify(isAsync ? job : { x_gleaner: opinion }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  gleaner = new Gleaner({
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    apiKey: "key",
  });
});

afterEach(() => server.close());

const question = { model: "m", messages: [{ role: "user" as const, content: "Which topic?" }] };

it("sends what a job needs of a device, its time and its priority", async () => {
  await gleaner.submit("chat/completions", question, {
    priority: "low",
    expiresInSeconds: 3_600,
    requires: {
      groups: ["lab"],
      tags: ["encrypted disk", "eu"],
      gpu: true,
      memoryGb: 16,
      vramGb: 8,
      dataClass: "medical",
    },
  });
  const [{ headers, body } = expect.fail("nothing was sent")] = sent;
  expect(headers["gleaner-requires"]).toBe(
    "group=lab&tag=encrypted+disk&tag=eu&gpu=yes&memory=16&vram=8&data-class=medical",
  );
  expect(headers["gleaner-expires-in"]).toBe("3600");
  expect(body).toEqual({ ...question, service_tier: "flex" });
});

it("sends none of them by itself", async () => {
  await gleaner.submit("chat/completions", question);
  const [{ headers, body } = expect.fail("nothing was sent")] = sent;
  expect([headers["gleaner-requires"], headers["gleaner-expires-in"]]).toEqual([undefined, undefined]);
  expect(body).toEqual(question);
});

it.each([
  ["second opinions", { x_gleaner: { votes: 3, escalate: false } }],
  ["several choices", { n: 2 }],
])("asks for %s without waiting, and fetches the answer", async (_name, fields) => {
  const asked = { ...question, ...fields };
  const answer = await gleaner.ask("chat/completions", asked, { idempotencyKey: "vote 1" });
  expect(answer.x_gleaner).toEqual(opinion);
  const [{ url, headers, body } = expect.fail("nothing was sent"), ...others] = sent;
  expect([url, headers["prefer"], headers["idempotency-key"]]).toEqual([
    "/v1/chat/completions",
    "respond-async",
    "vote 1",
  ]);
  expect(body).toEqual(asked);
  expect(others.map((each) => each.url)).toEqual([`/v1/jobs/${job.id}/result`]);
});
