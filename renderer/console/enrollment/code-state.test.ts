import { expect, it } from "vitest";
import { codeState } from "./code-state.ts";

const code = {
  uses: 2,
  used: 1,
  expiresAt: 100,
  revokedAt: null,
};

it("keeps a code active until it is used up, expires or is revoked", () => {
  expect(codeState(code, 99)).toMatchObject({ words: "Active", active: true });
  expect(codeState(code, 100)).toMatchObject({ words: "Expired", active: false });
  expect(codeState({ ...code, used: 2 }, 99)).toMatchObject({ words: "Used up", active: false });
  expect(codeState({ ...code, used: 2, revokedAt: 5 }, 99)).toMatchObject({
    words: "Revoked",
    active: false,
  });
});
