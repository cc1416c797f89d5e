import { expect, it } from "vitest";
import type { RequestView } from "../model/requests/watch.ts";
import { endOf } from "./errors.ts";

const view = (change: Partial<RequestView>): RequestView => ({
  status: "queued",
  attempt: 0,
  attemptId: null,
  chunks: [],
  attempts: 0,
  queueMs: null,
  deviceClass: null,
  energy: null,
  pricePercent: 100,
  priority: "normal",
  priceMicro: null,
  result: null,
  error: null,
  ...change,
});

it.each([
  ["canceled", 409, "job_canceled"],
  ["expired", 504, "job_expired"],
  ["failed", 500, "internal_error"],
  ["succeeded", 410, "result_expired"],
] as const)("answers a job that is %s, without a result, with its own error", (status, http, code) => {
  expect(endOf(view({ status }), "messages")).toMatchObject({
    status: http,
    code,
    headers: { "x-should-retry": "false" },
  });
});

it.each(["queued", "running"] as const)("has no error for a job that is %s", (status) => {
  expect(endOf(view({ status }), "messages")).toBeNull();
});

it("answers a job that was ended because its API key is restricted with the reason", () => {
  const error = { code: "key_restricted", message: "why" };
  expect(endOf(view({ status: "canceled", error }), "messages")).toMatchObject({
    status: 429,
    ...error,
    headers: { "x-should-retry": "false" },
  });
});

it.each([
  ["context_length_exceeded", "input"],
  ["result_too_large", "input"],
  ["invalid_grammar", "response_format"],
  ["wrong_dimensions", "dimensions"],
])("answers a job that failed with %s with an error that names %s", (code, param) => {
  const failed = view({ status: "failed", error: { code, message: "why" } });
  expect(endOf(failed, "input")).toMatchObject({ status: 400, code, param, message: "why" });
});

it("tells that an answer of a call was deleted before the other ones came, and that a retry is useless", () => {
  const error = { code: "result_expired", message: "why" };
  const headers = { "x-should-retry": "false" };
  expect(endOf(view({ status: "failed", error }), "messages")).toMatchObject({
    status: 410,
    ...error,
    headers,
  });
});

it("tells that no answer held the schema, and that a retry is useless", () => {
  const error = { code: "schema_not_met", message: "why" };
  expect(endOf(view({ status: "failed", error }), "messages")).toMatchObject({ status: 422, ...error });
});
