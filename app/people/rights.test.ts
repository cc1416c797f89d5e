import { describe, expect, it } from "vitest";
import { rights, rolesWith, scopeOf } from "./rights.ts";
import { roles } from "./roles.ts";

describe("the table of rights", () => {
  it("gives owners every right", () => {
    for (const right of rights) expect(scopeOf(right, ["owner"])).not.toBeNull();
  });

  it("lets an auditor read everything and change nothing but the own account", () => {
    for (const right of rights) {
      // Everybody has only their own account and their own credits.
      if (/^(?:account$|payloads\.read$|credits\.)/.test(right)) continue;
      expect([right, scopeOf(right, ["auditor"])]).toEqual([right, right.endsWith(".read") ? "all" : null]);
    }
  });

  it("lets nobody look at the prompts and answers of others", () => {
    for (const role of roles) expect(scopeOf("payloads.read", [role])).not.toBe("all");
    expect(rolesWith("payloads.read")).toEqual(["owner", "admin", "requester"]);
    expect(rolesWith("payloads.change")).toEqual(["owner"]);
  });

  it("keeps keys and money from an operator", () => {
    const hidden = rights.filter((right) => /^(keys|money|metrics|people|sign-in|audit)\./.test(right));
    expect(hidden.length).toBeGreaterThan(8);
    for (const right of hidden) expect(scopeOf(right, ["operator"])).toBeNull();
  });

  it("shows a donor and a requester only their own devices, keys, jobs and money", () => {
    for (const right of rights) {
      if (right === "models.read") continue;
      expect(scopeOf(right, ["donor", "requester"])).not.toBe("all");
    }
  });

  it("gives a member with several roles the widest scope of them", () => {
    expect(scopeOf("devices.read", ["donor", "auditor"])).toBe("all");
    expect(scopeOf("devices.read", [])).toBeNull();
    expect(rolesWith("sign-in.change")).toEqual(["owner"]);
  });
});
