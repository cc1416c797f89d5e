import { expect, it } from "vitest";
import { codeState } from "./code-state.ts";

const code = {
  uses: 2,
  used: 1,
  expiresAt: 100,
  revokedAt: null,
};

it("is open until it is used up, expires or is revoked", () => {
  expect(codeState(code, 99)).toMatchObject({ words: "Open", open: true });
  expect(codeState(code, 100)).toMatchObject({ words: "Expired", open: false });
  expect(codeState({ ...code, used: 2 }, 99)).toMatchObject({ words: "Used up", open: false });
  expect(codeState({ ...code, used: 2, revokedAt: 5 }, 99)).toMatchObject({ words: "Revoked", open: false });
});
