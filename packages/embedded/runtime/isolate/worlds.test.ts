import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Fixture, openFixture } from "../runtime.fixture.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.engine.close());

describe("a module that reuses its context", () => {
  test("its runs find the state of earlier ones", async () => {
    expect(await fixture.call("shared:count")).toBe(1);
    expect(await fixture.call("shared:countByQuery")).toBe(2);
    expect(await fixture.call("shared:countByAction")).toBe(3);
  });

  test("no run begins where another one has failed", async () => {
    await fixture.call("shared:count");
    await expect(fixture.call("shared:count", { end: "fail" })).rejects.toThrow("failed");
    expect(await fixture.call("shared:count")).toBe(1);
  });

  test("a ConvexError is an answer, and no failure", async () => {
    await expect(fixture.call("shared:count", { end: "refuse" })).rejects.toThrow("refused");
    expect(await fixture.call("shared:count")).toBe(2);
  });

  test("arguments that do not fit use no world", async () => {
    await fixture.call("shared:count");
    await expect(fixture.call("shared:count", { end: 1 })).rejects.toThrow("ArgumentValidationError");
    expect(await fixture.call("shared:count")).toBe(2);
  });
});

test("the classes of the web APIs cannot be changed for other runs", async () => {
  await expect(fixture.call("world:changeUrl")).rejects.toThrow("not extensible");
  expect("changed" in URL.prototype).toBe(false);
});
