import { expect, it } from "vitest";
import { signInToken } from "./sign-in.ts";

it("reads the sign-in token from the hash", () => {
  expect(signInToken("#signin=gs_abc-_1")).toBe("gs_abc-_1");
  expect(signInToken("#/jobs")).toBeNull();
  expect(signInToken("#signin=")).toBeNull();
  expect(signInToken("")).toBeNull();
});
