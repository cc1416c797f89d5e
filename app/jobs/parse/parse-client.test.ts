import { expect, it } from "vitest";
import { parseClient } from "./parse-client.ts";

const clientWith = (headers: Readonly<Record<string, string>>) =>
  parseClient((name) => headers[name] ?? null);

it.each([
  ["Node's fetch", { "user-agent": "node" }, true],
  ["undici", { "user-agent": "undici" }, true],
  ["OpenAI's SDK in Node", { "user-agent": "OpenAI/JS 6.1.0", "x-stainless-runtime": "node" }, true],
  ["Vercel's AI SDK", { "user-agent": "ai/5.0.1 ai-sdk/provider-utils/3.0.0 runtime/node.js/22" }, true],
  ["Bun", { "user-agent": "Bun/1.2.3" }, true],
  [
    "OpenAI's SDK in Python",
    { "user-agent": "OpenAI/Python 2.1.0", "x-stainless-runtime": "CPython" },
    false,
  ],
  ["curl", { "user-agent": "curl/8.5.0" }, false],
  ["a program of another name", { "user-agent": "nodeling/1.0" }, false],
  ["a client without a name", {}, false],
])("%s", (_, headers, isImpatient) => {
  expect(clientWith(headers)).toEqual({ isRetry: false, patienceMs: isImpatient ? 270_000 : null });
});

it("knows a retry by the count of OpenAI's SDKs", () => {
  const counts = ["0", "1", "2", " 3 ", "", "-1", "x", "99999"];
  const known = counts.map((count) => clientWith({ "x-stainless-retry-count": count }).isRetry);
  expect(known).toEqual([false, true, true, true, false, false, false, false]);
});
