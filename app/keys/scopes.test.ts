import { expect, it } from "vitest";
import { scopeOfPath } from "./scopes.ts";

it.each([
  ["/v1/chat/completions", "inference"],
  ["/v1/responses/resp_1", "inference"],
  ["/v1/batches", "batches"],
  ["/v1/batches/estimate", "batches"],
  ["/v1/files/file_1/content", "batches"],
  ["/v1/uploads/upload_1/parts", "batches"],
  ["/v1/jobs", "jobs"],
  ["/v1/jobs/1/cancel", "jobs"],
  ["/v1/receipts", "jobs"],
  ["/v1/usage", "usage"],
  ["/v1/credits", "usage"],
  ["/v1/budgets", "usage"],
  ["/v1/jobsite", "inference"],
])("%s needs %s", (path, scope) => {
  expect(scopeOfPath(path)).toBe(scope);
});

it("any key may list its models", () => {
  expect([scopeOfPath("/v1/models"), scopeOfPath("/v1/models/qwen/3")]).toEqual([null, null]);
  const ofOllama = ["/api/tags", "/api/show", "/api/version"].map(scopeOfPath);
  expect(ofOllama).toEqual([null, null, null]);
  expect(scopeOfPath("/api/chat")).toBe("inference");
});
