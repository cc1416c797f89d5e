import { expect, it } from "vitest";
import { membershipOf } from "./membership.ts";

const enrolment = { deviceId: "d", organizationName: "o" };
const active = { status: "active" } as const;
const retired = { status: "retired" } as const;

it.each([
  { name: "never enrolled", enrolment: null, me: null, unknownHere: false, is: "none" },
  { name: "enrolled, nothing heard yet", enrolment, me: null, unknownHere: false, is: "active" },
  { name: "in service", enrolment, me: active, unknownHere: false, is: "active" },
  { name: "retired", enrolment, me: retired, unknownHere: false, is: "retired" },
  { name: "forgotten there", enrolment, me: null, unknownHere: true, is: "none" },
] as const)("$name: $is", ({ enrolment, me, unknownHere, is }) => {
  expect(membershipOf(enrolment, { me, unknownHere })).toBe(is);
});
