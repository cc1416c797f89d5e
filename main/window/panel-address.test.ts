import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPanelAddress, panelAddress } from "./panel-address.ts";
import { panelFile } from "./panel-files.ts";

describe("isPanelAddress", () => {
  it("knows the panel's own origin", () => {
    expect(isPanelAddress(panelAddress, undefined)).toBe(true);
    expect(isPanelAddress(`${panelAddress}#/x?y`, undefined)).toBe(true);
  });

  it.each([
    "",
    "about:blank",
    "file:///etc/passwd",
    "https://panel/",
    "gleaner://other/",
    "gleaner://panel.evil/",
  ])("refuses %j", (address) => expect(isPanelAddress(address, undefined)).toBe(false));

  it("knows the development server only where there is one", () => {
    expect(isPanelAddress("http://localhost:5173/index.html", "http://localhost:5173")).toBe(true);
    expect(isPanelAddress("http://localhost:5173/", undefined)).toBe(false);
    expect(isPanelAddress("http://localhost:5174/", "http://localhost:5173")).toBe(false);
  });
});

describe("panelFile", () => {
  const root = join("/", "app", "renderer");
  it("finds the files below its root", () => {
    expect(panelFile(root, panelAddress)).toEqual({
      path: join(root, "index.html"),
      type: "text/html; charset=utf-8",
    });
    expect(panelFile(root, "gleaner://panel/assets/a.js")?.path).toBe(join(root, "assets", "a.js"));
  });

  it.each([
    "gleaner://panel/../secret.js",
    "gleaner://panel/..%2f..%2fsecret.js",
    "gleaner://panel/%2e%2e/%2e%2e/secret.js",
    "gleaner://panel/..%5c..%5csecret.html%00.js",
    "gleaner://panel/%zz.js",
    "gleaner://panel/data.db",
    "gleaner://panel/",
  ])("never leaves it: %s", (address) => {
    const found = panelFile(root, address);
    expect(found === null || found.path.startsWith(join(root, "/"))).toBe(true);
    if (!address.includes("secret.js")) expect(found).toBeNull();
  });
});
