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

it("asks the page's origin for the deployment", async () => {
  expect(await findDeployment({ origin, search: "" }, answer({ deploymentUrl: `${origin}/` }))).toEqual({
    kind: "found",
    deployment: { url: origin, apiBase: origin },
  });
});

it("prefers the deployment in the address to the page's origin", async () => {
  const search = `?deployment=${encodeURIComponent("https://calm-otter-12.convex.cloud")}`;
  expect(await findDeployment({ origin, search }, never)).toEqual({
    kind: "found",
    deployment: { url: "https://calm-otter-12.convex.cloud", apiBase: "https://calm-otter-12.convex.site" },
  });
});

it.each([
  ["no server", "", never],
  ["an error", "", answer({}, 500)],
  ["another answer", "", answer({ hello: 1 })],
  ["a script address", "", answer({ deploymentUrl: "javascript:alert(1)" })],
  ["an invalid deployment", "?deployment=javascript:alert(1)", never],
])("explains the failure: %s", async (_name, search, get) => {
  expect(await findDeployment({ origin, search }, get)).toMatchObject({ kind: "failed" });
});

it("keeps the addresses of deployments outside Convex Cloud", () => {
  expect(apiBaseOf("https://convex.example.org")).toBe("https://convex.example.org");
});
