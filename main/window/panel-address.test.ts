import { describe, expect, it } from "vitest";
import { panelAddress, panelPlace } from "./panel-address.ts";

describe("panelPlace", () => {
  const built = panelPlace(false, undefined);

  it("accepts the panel's own addresses", () => {
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
  ])("refuses %j as an address of the panel", (address) => expect(built.holds(address)).toBe(false));

  it("accepts the development server only if one is given", () => {
    const served = panelPlace(false, "http://localhost:5173");
    expect(served.address).toBe("http://localhost:5173");
    expect(served.holds("http://localhost:5173/index.html")).toBe(true);
    expect(served.holds("http://localhost:5174/")).toBe(false);
    expect(built.holds("http://localhost:5173/")).toBe(false);
  });

  it("accepts only its own panel once packaged, whatever the environment says", () => {
    const packaged = panelPlace(true, "http://localhost:5173");
    expect(packaged.address).toBe(panelAddress);
    expect(packaged.holds("http://localhost:5173/index.html")).toBe(false);
    expect(packaged.holds(panelAddress)).toBe(true);
  });
});
