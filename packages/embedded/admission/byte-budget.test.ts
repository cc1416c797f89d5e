import { expect, test } from "vitest";
import { AddressCount, networkOf } from "./address-count.ts";
import { ByteBudget } from "./byte-budget.ts";

test("one address gets a quarter of the budget, and all addresses the whole", () => {
  const budget = new ByteBudget(1_000);
  const one = budget.open("10.0.0.1");
  const same = budget.open("10.0.0.1");
  expect([one.set(200), same.set(50), same.set(51)]).toEqual([true, true, false]);
  expect([same.bytes, budget.used]).toEqual([50, 250]);
  const unknown = budget.open(null);
  expect([unknown.set(750), unknown.set(751)]).toEqual([true, false]);
  expect(budget.open("10.0.0.2").set(1)).toBe(false);
  one.set(0);
  expect([same.set(250), budget.used]).toEqual([true, 1_000]);
});

test("connections are counted by address until they leave", () => {
  const count = new AddressCount(2);
  const leave = count.enter("10.0.0.1");
  expect(count.enter("10.0.0.1")).not.toBeNull();
  expect(count.enter("10.0.0.1")).toBeNull();
  expect(count.enter("10.0.0.2")).not.toBeNull();
  leave?.();
  expect(count.enter("10.0.0.1")).not.toBeNull();
  for (let n = 0; n < 5; n += 1) expect(count.enter(null)).not.toBeNull();
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  [null, null],
])("%s is counted as %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
