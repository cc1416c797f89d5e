import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import desktopBuild from "../../electron.vite.config.ts";
import { panelPolicy, sentPanelPolicy } from "../../main/face/panel-policy.ts";
import { pagePolicy } from "../../packages/embedded/http/site/page-policy.ts";
import { siteHandler } from "../../packages/embedded/http/site/site-handler.ts";
import consoleBuild from "../../vite.console.config.ts";
import { contentSecurityPolicy } from "../../vite.content-security-policy.ts";

/** The directives of a policy by their names. */
function directivesOf(policy: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    policy.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
}

/** The policy that the backend sends with a page. */
async function sentPolicy(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "page-policy-"));
  await writeFile(join(dir, "index.html"), "<!doctype html>");
  const options = {
    staticFolders: [{ path: "/console", dir }],
    isAllowedHost: () => true,
    apiOrigins: () => ["https://api.example.org"],
  };
  const server = createServer(siteHandler(options as unknown as Parameters<typeof siteHandler>[0]));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${String(port)}/console/`);
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true });
  return headers.get("content-security-policy") ?? "";
}

/** The policy that the build writes into a page. */
function builtPolicy(): string {
  return policyOf(contentSecurityPolicy({ policy: pagePolicy(["https:"]) }));
}

function policyOf({ transformIndexHtml }: ReturnType<typeof contentSecurityPolicy>): string {
  const tags = (transformIndexHtml as unknown as () => { attrs: { content: string } }[])();
  return tags[0]?.attrs.content ?? "";
}

test("a page has the policy that it is served with, and may connect to more only where it is served by others", async () => {
  const { "connect-src": sent, "frame-ancestors": framedBy, ...rest } = directivesOf(await sentPolicy());
  const { "connect-src": built, ...others } = directivesOf(builtPolicy());
  expect(rest).toEqual(others);
  expect(framedBy).toBe("'none'");
  expect([sent, built]).toEqual(["'self' https://api.example.org", "'self' https:"]);
});

test("the panel has the policy of the other pages, and connects only to its donor", () => {
  const page = directivesOf(pagePolicy([]));
  for (const connectTo of [[], ["'self'", "ws://127.0.0.1:3212"]]) {
    const { "frame-ancestors": framedBy, ...sent } = directivesOf(sentPanelPolicy(connectTo));
    expect(framedBy).toBe("'none'");
    expect(sent).toEqual({ ...page, "connect-src": connectTo.length === 0 ? "'none'" : connectTo.join(" ") });
    expect(sent).toEqual(directivesOf(panelPolicy(connectTo)));
  }
});

/** The policies that the plugins of a build write into its page. */
function policiesOf(plugins: unknown): readonly string[] {
  return [plugins].flat(Infinity).flatMap((each) => {
    const plugin = each as ReturnType<typeof contentSecurityPolicy> | undefined;
    return plugin?.name === "content-security-policy" && plugin.apply === "build" ? [policyOf(plugin)] : [];
  });
}

test("the builds of the console, the gallery and the panel write a policy into their pages", () => {
  const web = (mode: string) => (consoleBuild as (env: object) => { plugins: unknown })({ mode }).plugins;
  const panel = (desktopBuild as { renderer: { plugins: unknown } }).renderer.plugins;
  for (const plugins of [web("production"), web("gallery"), panel]) {
    const [policy, ...others] = policiesOf(plugins);
    expect(others).toEqual([]);
    expect(directivesOf(policy ?? "")).toMatchObject({ "default-src": "'none'", "script-src": "'self'" });
  }
});
