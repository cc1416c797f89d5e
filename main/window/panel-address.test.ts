import { describe, expect, it } from "vitest";
import { panelAddress, panelPlace } from "./panel-address.ts";

describe("panelPlace", () => {
  const built = panelPlace(false, undefined);

  it("knows the panel's own origin", () => {
    expect(built.address).toBe(panelAddress);
    expect(built.holds(panelAddress)).toBe(true);
    expect(built.holds(`${panelAddress}#/x?y`)).toBe(true);
  });

  it.each([
    "",
    "about:blank",
    "file:///etc/passwd",
    "https://panel/",
    "gleaner://other/",
    "gleaner://panel.evil/",
  ])("refuses %j", (address) => expect(built.holds(address)).toBe(false));

  it("knows the development server only where there is one", () => {
    const served = panelPlace(false, "http://localhost:5173");
    expect(served.address).toBe("http://localhost:5173");
    expect(served.holds("http://localhost:5173/index.html")).toBe(true);
    expect(served.holds("http://localhost:5174/")).toBe(false);
    expect(built.holds("http://localhost:5173/")).toBe(false);
  });

  it("takes no other panel than its own once it is packaged, whatever the environment says", () => {
    const packaged = panelPlace(true, "http://localhost:5173");
    expect(packaged.address).toBe(panelAddress);
    expect(packaged.holds("http://localhost:5173/index.html")).toBe(false);
    expect(packaged.holds(panelAddress)).toBe(true);
  });
});
