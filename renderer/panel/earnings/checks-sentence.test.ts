import { expect, it } from "vitest";
import { checksSentence } from "./checks-sentence.ts";

it("says nothing while there is nothing to say", () => {
  expect(checksSentence({})).toBeNull();
  expect(checksSentence({ checks: null })).toBeNull();
  expect(checksSentence({ checks: { heldMicro: "0", wrong: 0 } })).toBeNull();
});

it("names pay that waits, and wrong answers before it", () => {
  const heldMicro = "2500000";
  expect(checksSentence({ checks: { heldMicro, wrong: 0 } })).toMatch(/^2\.5 cr more wait until/);
  expect(checksSentence({ checks: { heldMicro, wrong: 1 } })).toMatch(/1 answer of this computer was not/);
});

it("says that nobody can check its answers", () => {
  const checks = { heldMicro: "2500000", wrong: 0, unchecked: true };
  expect(checksSentence({ checks })).toMatch(
    /^2\.5 cr more wait .* no other computer could check .* administrator/,
  );
});

it("names answers with fewer tokens than were reported", () => {
  const checks = { heldMicro: "0", wrong: 0, overclaimed: 2 };
  expect(checksSentence({ checks })).toMatch(/^Other computers counted far fewer tokens in 2 answers than/);
});
