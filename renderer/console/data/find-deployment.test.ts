import { expect, it } from "vitest";
import { apiBaseOf, findDeployment } from "./find-deployment.ts";

const origin = "http://127.0.0.1:3210";
const answer =
  (body: unknown, status = 200): typeof fetch =>
  async () =>
    new Response(JSON.stringify(body), { status });
const never: typeof fetch = async () => {
  throw new TypeError("fetch failed");
};

it("asks its own origin", async () => {
  expect(await findDeployment({ origin, search: "" }, answer({ deploymentUrl: `${origin}/` }))).toEqual({
    kind: "found",
    deployment: { url: origin, apiBase: origin },
  });
});

it("takes the named deployment before its own origin", async () => {
  const search = `?deployment=${encodeURIComponent("https://calm-otter-12.convex.cloud")}`;
  expect(await findDeployment({ origin, search }, never)).toEqual({
    kind: "found",
    deployment: { url: "https://calm-otter-12.convex.cloud", apiBase: "https://calm-otter-12.convex.site" },
  });
});

it.each([
  ["no server", "", never],
  ["an error", "", answer({}, 500)],
  ["something else", "", answer({ hello: 1 })],
  ["a script's address", "", answer({ deploymentUrl: "javascript:alert(1)" })],
  ["a bad name", "?deployment=javascript:alert(1)", never],
])("fails with a sentence: %s", async (_name, search, get) => {
  expect(await findDeployment({ origin, search }, get)).toMatchObject({ kind: "failed" });
});

it("leaves other deployments' names alone", () => {
  expect(apiBaseOf("https://convex.example.org")).toBe("https://convex.example.org");
});
