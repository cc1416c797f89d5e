import { expect, it } from "vitest";
import { platformWords } from "./platform.ts";

it("names the system as people do, and keeps the rest", () => {
  expect(platformWords("win32 x64")).toBe("Windows x64");
  expect(platformWords("darwin arm64")).toBe("macOS arm64");
  expect(platformWords("linux")).toBe("Linux");
  expect(platformWords("freebsd riscv64")).toBe("freebsd riscv64");
  expect(platformWords("")).toBe("");
});
