import type { JSONValue } from "convex/values";
import { expect, test } from "vitest";
import { functionPathOfUrl, parseFunctionRequest } from "./function-request.ts";

test("arguments may come bare or in an array of one", () => {
  const asArray = parseFunctionRequest({ path: "a:b", args: [{ x: 1 }], format: "convex_encoded_json" });
  const bare = parseFunctionRequest({ path: "a:b", args: { x: 1 }, format: "convex_encoded_json" });
  expect(asArray).toEqual(bare);
  expect(asArray).toMatchObject({ kind: "ok", request: { args: { x: 1 }, format: "convex_encoded_json" } });
  expect(parseFunctionRequest({ path: "a:b" })).toMatchObject({
    request: { args: {}, format: "json", ts: null },
  });
});

test.each<[JSONValue, string]>([
  [null, "the message must be an object"],
  [[], "the message must be an object"],
  [{}, "path is missing"],
  [{ path: "" }, "path must have at least 1 character"],
  [{ path: 5 }, "path must be text"],
  [{ path: "x".repeat(2_000) }, "path must have at most 1024 characters"],
  [{ path: "a:b", args: 1 }, "args must be an object, or an array of one object"],
  [{ path: "a:b", args: [{}, {}] }, "args must be an object, or an array of one object"],
  [{ path: "a:b", format: "xml" }, 'format must be "json" or "convex_encoded_json"'],
  [{ path: "a:b", componentPath: 1 }, "componentPath must be text"],
  [{ path: "a:b", ts: 1 }, "ts must be text"],
  [{ path: "a:b", ts: "x" }, "ts must be a timestamp, as query_ts returns it"],
])("the request %j is refused with words that name its fault", (body, reason) => {
  expect(parseFunctionRequest(body)).toEqual({ kind: "invalid", reason });
});

test.each([
  ["messages/list", "messages:list"],
  ["admin/jobs/list", "admin/jobs:list"],
  ["messages%3Alist", "messages:list"],
  ["list", null],
  ["%E0%A4%A", null],
])("the path in /api/run/%s is %s", (rest, path) => {
  expect(functionPathOfUrl(rest)).toBe(path);
});
