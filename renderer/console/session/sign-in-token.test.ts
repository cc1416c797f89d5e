import { expect, it } from "vitest";
import { signInToken } from "./sign-in-token.ts";

it("finds the token in the hash", () => {
  expect(signInToken("#signin=gs_abc-_1")).toBe("gs_abc-_1");
  expect(signInToken("#/jobs")).toBeNull();
  expect(signInToken("#signin=")).toBeNull();
  expect(signInToken("")).toBeNull();
});
