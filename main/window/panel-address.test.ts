import { describe, expect, it } from "vitest";
import { panelAddress, panelOrigin, restoredAddress, setupAddress, tabAddress } from "./panel-address.ts";

describe("panelOrigin", () => {
  const built = panelOrigin(false, undefined);

  it("accepts the panel's own addresses", () => {
    expect(built.address).toBe(panelAddress);
    expect(built.includes(panelAddress)).toBe(true);
    expect(built.includes(`${panelAddress}#/x?y`)).toBe(true);
  });

  it.each([
    "",
    "about:blank",
    "file:///etc/passwd",
    "https://panel/",
    "gleaner-panel://other/",
    "gleaner-panel://panel.evil/",
  ])("refuses %j as an address of the panel", (address) => expect(built.includes(address)).toBe(false));

  it("accepts the development server only if one is given", () => {
    const served = panelOrigin(false, "http://localhost:5173");
    expect(served.address).toBe("http://localhost:5173");
    expect(served.includes("http://localhost:5173/index.html")).toBe(true);
    expect(served.includes("http://localhost:5174/")).toBe(false);
    expect(built.includes("http://localhost:5173/")).toBe(false);
  });

  it("accepts only its own panel once packaged, whatever the environment says", () => {
    const packaged = panelOrigin(true, "http://localhost:5173");
    expect(packaged.address).toBe(panelAddress);
    expect(packaged.includes("http://localhost:5173/index.html")).toBe(false);
    expect(packaged.includes(panelAddress)).toBe(true);
  });
});

it("marks a page that was opened again, and keeps which one it is", () => {
  expect(restoredAddress(`${panelAddress}#/setup`)).toBe(`${panelAddress}?restored=1#/setup`);
  expect(restoredAddress(restoredAddress(panelAddress))).toBe(`${panelAddress}?restored=1`);
});

it("asks for a tab in the fragment, so that an open page stays", () => {
  const address = tabAddress(panelAddress, "settings");
  expect(address).toBe(`${panelAddress}#tab=settings`);
  expect(panelOrigin(true, undefined).includes(address)).toBe(true);
  expect(tabAddress(address, "now")).toBe(`${panelAddress}#tab=now`);
});

it("gives the page for joining an address of its own, which belongs to the panel", () => {
  const packaged = panelOrigin(true, undefined);
  const address = setupAddress(packaged.address);
  expect(address).toBe(`${panelAddress}?setup=1`);
  expect(packaged.includes(address)).toBe(true);
  expect(setupAddress("http://localhost:5173")).toBe("http://localhost:5173/?setup=1");
});
