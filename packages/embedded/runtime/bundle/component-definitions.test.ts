import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { bundleFunctions, type BundleOutcome } from "./bundle.ts";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** The folder is here, not among temporary files, so that the convex package is found. */
async function bundleOf(files: { readonly [path: string]: string }): Promise<BundleOutcome> {
  const folder = await mkdtemp(fileURLToPath(new URL("../fixtures/tmp-", import.meta.url)));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return bundleFunctions(join(folder, "convex"));
}

const reasonOf = (outcome: BundleOutcome) => (outcome.kind === "failed" ? outcome.message : "no failure");
const server = 'import { defineApp, defineComponent } from "convex/server";';
const app = (body: string) => ({ "convex/convex.config.ts": `${server}\n${body}` });
const child = { "child/convex.config.ts": `${server}\nexport default defineComponent("child");` };
const use = 'import child from "../child/convex.config.js"; const app = defineApp(); export default app;';

test("a component brings its modules, but neither its config nor its generated code", async () => {
  const outcome = await bundleOf({
    ...app(`${use} app.use(child); app.use(child, { name: "other" });`),
    ...child,
    "child/lib.ts": "export const x = 1;",
    "child/_generated/api.js": "export const api = 1;",
  });
  if (outcome.kind === "failed") throw new Error(outcome.message);
  expect(outcome.bundle.mounts.map(({ path }) => path)).toEqual(["", "child", "other"]);
  expect([...outcome.bundle.components.values()].map(({ modules }) => modules)).toEqual([["lib"]]);
});

test.each([
  ["it installs something not imported from a config", "defineApp().use({});", /componentDefinitionPath/],
  ["it throws", 'throw new Error("not today");', /not today/],
  ["it imports a missing file", 'import "../gone/convex.config.js";', /Could not resolve/],
  ["its export is not an app", "export default {};", /must come from defineApp\(\)/],
  ["two components have one name", `${use} app.use(child); app.use(child);`, /Two components .* "child"/],
  [
    "a name is a property of every object",
    `${use} app.use(child, { name: "__proto__" });`,
    /such as __proto__/,
  ],
  ["a name contains a slash", `${use} app.use(child, { name: "a/b" });`, /may only contain letters/],
  [
    "a variable is not declared",
    `${use} app.use(child, { env: { X: "1" } });`,
    /X, which it does not declare/,
  ],
])("a config is refused when %s", async (_, body, reason) => {
  expect(reasonOf(await bundleOf({ ...app(body), ...child }))).toMatch(reason);
});

test("components that install each other are refused by name", async () => {
  const using = (name: string, other: string) => ({
    [`${name}/convex.config.ts`]: `${server}
      import other from "../${other}/convex.config.js";
      const component = defineComponent("${name}");
      component.use(other);
      export default component;`,
  });
  const outcome = await bundleOf({
    ...app(`${use} app.use(child);`),
    ...using("child", "grandchild"),
    ...using("grandchild", "child"),
  });
  expect(reasonOf(outcome)).toContain("in a circle: ../child → ../grandchild → ../child");
});

test("a component that needs the Node runtime is refused by name", async () => {
  const node = { "child/lib.ts": '"use node";\nexport const x = 1;' };
  const outcome = await bundleOf({ ...app(`${use} app.use(child);`), ...child, ...node });
  expect(reasonOf(outcome)).toMatch(/"use node" .*child\/lib\.ts/);
});
