import { expect, it } from "vitest";
import { keyScopes } from "../../../app/keys/scopes.ts";
import { type Access, parseAccess, type TypedAccess, typedAccess } from "./parse-access.ts";

const now = new Date(2026, 10, 28, 9).getTime();
const dayMs = 86_400_000;
const unbounded: Access = { scopes: null, models: null, addresses: null, expiresAt: null, quotas: {} };
const bounded: Access = {
  scopes: ["inference", "usage"],
  models: ["qwen3-4b"],
  addresses: ["10.0.0.0/8", "2001:db8::/32"],
  expiresAt: now + dayMs,
  quotas: { day: { requests: 2_000, tokens: 4_000 }, month: { micro: 1_500_000n } },
};

const parse = (change: Partial<TypedAccess>) => parseAccess({ ...typedAccess(null), ...change }, now);
const wrong = (change: Partial<TypedAccess>) => {
  const parsed = parse(change);
  return parsed.kind === "wrong" ? parsed.field : null;
};

it("gives back an access that nobody changed, without its end", () => {
  for (const access of [unbounded, bounded]) {
    const { expiresAt, ...rest } = access;
    const end = expiresAt === null ? { expiresAt } : {};
    expect(parseAccess(typedAccess(access), now)).toEqual({ kind: "ok", access: { ...rest, ...end } });
  }
});

it("reads addresses from lines and lists", () => {
  const addresses = "10.0.0.0/8, 192.0.2.7\n\n2001:DB8::1;";
  expect(parse({ addresses })).toMatchObject({
    access: { addresses: ["10.0.0.0/8", "192.0.2.7", "2001:db8::1"] },
  });
  expect(wrong({ addresses: "10.0.0.0/8, office" })).toBe("addresses");
});

it("reads an end as days from now, or as the end of a day", () => {
  expect(parse({ expiry: "30" })).toMatchObject({ access: { expiresAt: now + 30 * dayMs } });
  const end = new Date(2026, 10, 29).getTime();
  expect(parse({ expiry: "date", date: "2026-11-28" })).toMatchObject({ access: { expiresAt: end } });
  expect(wrong({ expiry: "date", date: "2026-11-27" })).toBe("date");
  expect(wrong({ expiry: "date", date: "" })).toBe("date");
});

it("reads quotas, and names the field that is wrong", () => {
  const none = { requests: "", tokens: "", micro: "" };
  const quotas = { day: { ...none, requests: "2,000" }, month: { ...none, micro: "1.5" } };
  expect(parse({ quotas })).toMatchObject({
    access: { quotas: { day: { requests: 2_000 }, month: { micro: 1_500_000n } } },
  });
  for (const typed of ["0", "-1", "1.5", "many", "9999999999999"])
    expect(wrong({ quotas: { day: { ...none, requests: typed }, month: none } })).toBe("day requests");
  expect(wrong({ quotas: { day: none, month: { ...none, micro: "0" } } })).toBe("month micro");
});

it("takes all kinds of calls for no bound, and needs at least one kind and one model", () => {
  expect(parse({ scopes: keyScopes })).toMatchObject({ access: { scopes: null } });
  expect(wrong({ scopes: [] })).toBe("scopes");
  expect(wrong({ onlyModels: true, models: [] })).toBe("models");
  expect(parse({ onlyModels: false, models: ["qwen3-4b"] })).toMatchObject({ access: { models: null } });
});
