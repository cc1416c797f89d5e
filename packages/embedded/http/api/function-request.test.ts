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

test.each([
  [null],
  [[]],
  [{}],
  [{ path: "" }],
  [{ path: "a:b", args: 1 }],
  [{ path: "a:b", args: [{}, {}] }],
  [{ path: "a:b", ts: "x" }],
])("the request %j is refused", (body) => {
  expect(parseFunctionRequest(body).kind).toBe("invalid");
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
