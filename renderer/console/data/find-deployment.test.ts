import { createServer } from "node:net";
import { expect, it } from "vitest";
import { apiBaseOf, findDeployment, findOwnDeployment } from "./find-deployment.ts";

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

it("prefers the page's origin for a link to join, and falls back to the address", async () => {
  const search = "?deployment=https://evil.example.org";
  const own = await findOwnDeployment({ origin, search }, answer({ deploymentUrl: origin }));
  expect(own).toMatchObject({ deployment: { url: origin } });
  const other = await findOwnDeployment({ origin, search }, never);
  expect(other).toMatchObject({ deployment: { url: "https://evil.example.org" } });
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

it("gives up on a server that accepts the connection and never answers", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const found = await findDeployment({ origin: `http://127.0.0.1:${String(port)}`, search: "" }, fetch, 50);
  expect(found).toEqual({ kind: "failed", message: "The server of this page did not answer in time." });
  server.close();
});
