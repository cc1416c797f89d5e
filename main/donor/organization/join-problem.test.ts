import { expect, it } from "vitest";
import { joinProblem } from "./join-problem.ts";

const fine = {
  url: "https://office:3210/",
  isEnrolled: false,
  isOffline: false,
  failure: null,
  hasOtherKey: false,
  refusedCode: null,
  damagedFile: null,
  hasCode: false,
};
const refused = { kind: "unreachable", because: "ECONNREFUSED" } as const;

it("has nothing to say while all is well, and about a short interruption", () => {
  expect(joinProblem(fine)).toBeNull();
  expect(joinProblem({ ...fine, isEnrolled: true, failure: refused })).toBeNull();
});

it("keeps trying while the network is down, whatever else is wrong", () => {
  const problem = joinProblem({ ...fine, isOffline: true, failure: refused, refusedCode: "expired" });
  expect(problem).toEqual({
    kind: "unreachable",
    said: { name: "unreachable", values: ["https://office:3210", "ECONNREFUSED"] },
    sentence: "https://office:3210 cannot be reached (connection refused). Gleaner keeps trying.",
    remedy: "wait",
  });
});

it.each([
  ["wrong-key", "wrong-server", "--pin"],
  ["untrusted", "untrusted-server", "--pin sha256:…"],
  ["other-name", "other-name", "Check --backend"],
] as const)("cannot end by itself: %s", (kind, shown, words) => {
  const problem = joinProblem({ ...fine, isOffline: true, failure: { kind } });
  expect(problem).toMatchObject({ kind: shown, remedy: "restart" });
  expect(problem?.sentence).toContain(words);
});

it("names the command for a member whose server has a new key", () => {
  const problem = joinProblem({ ...fine, isEnrolled: true, isOffline: true, failure: { kind: "wrong-key" } });
  expect(problem?.sentence).toContain("GLEANER_CODE=GLN-… gleaner donate --backend URL --pin sha256:…");
});

it.each([
  [{ kind: "expired" }, "has expired"],
  [{ kind: "not-yet-valid" }, "is not valid yet"],
  [{ kind: "no-backend", because: "HTTP 404" }, "the answer is HTTP status 404"],
] as const)("may end by itself: $0.kind", (failure, words) => {
  const problem = joinProblem({ ...fine, isOffline: true, failure });
  expect(problem?.remedy).toBe("wait");
  expect(problem?.sentence).toContain(words);
});

it("asks for another code after a refusal, and forgets that once the device is enrolled", () => {
  const problem = {
    kind: "code-refused",
    sentence: "This enrollment code has no uses left. Ask your administrator for a new one.",
    remedy: "code",
  };
  expect(joinProblem({ ...fine, refusedCode: "used-up" })).toMatchObject(problem);
  expect(joinProblem({ ...fine, isEnrolled: true, refusedCode: "used-up" })).toBeNull();
});

it("tells of a damaged file unless a code may mend it", () => {
  const damaged = { ...fine, damagedFile: "/d/device.json.corrupt-1" };
  expect(joinProblem(damaged)?.sentence).toContain("/d/device.json.corrupt-1");
  expect(joinProblem({ ...damaged, hasCode: true })).toBeNull();
});

it("says how a device with another signing key joins again", () => {
  const problem = joinProblem({ ...fine, isEnrolled: true, hasOtherKey: true });
  expect(problem?.sentence).toContain("gleaner donate --backend URL --rejoin");
});

it("keeps trying for a member if the certificate is for another name, since an administrator can replace it", () => {
  const failure = { kind: "other-name" } as const;
  const problem = joinProblem({ ...fine, isEnrolled: true, isOffline: true, failure });
  expect(problem).toMatchObject({ kind: "other-name", remedy: "wait" });
  expect(problem?.sentence).toContain("is for another name");
  expect(problem?.sentence).not.toContain("--pin");
});
