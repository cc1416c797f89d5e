import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { panelFile } from "./panel-files.ts";

describe("panelFile", () => {
  const root = join("/", "app", "renderer");
  it("finds the panel's files below its root", () => {
    expect(panelFile(root, "gleaner-panel://panel/index.html")).toEqual({
      path: join(root, "index.html"),
      type: "text/html; charset=utf-8",
    });
    expect(panelFile(root, "gleaner-panel://panel/assets/a.js")?.path).toBe(join(root, "assets", "a.js"));
  });

  it.each([
    "gleaner-panel://panel/../secret.js",
    "gleaner-panel://panel/..%2f..%2fsecret.js",
    "gleaner-panel://panel/%2e%2e/%2e%2e/secret.js",
    "gleaner-panel://panel/..%5c..%5csecret.html%00.js",
    "gleaner-panel://panel/%zz.js",
    "gleaner-panel://panel/data.db",
    "gleaner-panel://panel/",
  ])("never leaves the panel's folder for %s", (address) => {
    const found = panelFile(root, address);
    expect(found === null || found.path.startsWith(join(root, "/"))).toBe(true);
    if (!address.includes("secret.js")) expect(found).toBeNull();
  });
});
