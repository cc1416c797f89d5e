import { expect, it } from "vitest";
import { membershipOf } from "./membership.ts";

const enrollment = { deviceId: "d", organizationName: "o" };
const active = { status: "active" } as const;
const retired = { status: "retired" } as const;

it.each([
  { name: "never enrolled", enrollment: null, me: null, unknownHere: false, is: "none" },
  { name: "enrolled, nothing heard yet", enrollment, me: null, unknownHere: false, is: "active" },
  { name: "in service", enrollment, me: active, unknownHere: false, is: "active" },
  { name: "retired", enrollment, me: retired, unknownHere: false, is: "retired" },
  { name: "forgotten there", enrollment, me: null, unknownHere: true, is: "none" },
] as const)("$name: $is", ({ enrollment, me, unknownHere, is }) => {
  expect(membershipOf(enrollment, { me, unknownHere })).toBe(is);
});
