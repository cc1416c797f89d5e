import { describe, expect, it } from "vitest";
import { backendOrder } from "./backends.ts";

describe("backendOrder", () => {
  const machine = {
    platform: "linux",
    arch: "x64",
    gpu: true,
    someDenied: false,
  } as const;
  it.each([
    [{}, ["cuda", "vulkan", "cpu"]],
    [{ platform: "win32" }, ["cuda", "vulkan", "cpu"]],
    [{ arch: "arm64" }, ["vulkan", "cpu"]],
    [{ platform: "darwin", arch: "arm64" }, ["metal", "cpu"]],
    [{ platform: "darwin" }, ["cpu"]],
    [{ platform: "freebsd" }, ["cpu"]],
    [{ gpu: false }, ["cpu"]],
    [{ someDenied: true }, ["cuda", "cpu"]],
    [{ platform: "win32", someDenied: true }, ["cuda", "cpu"]],
    [{ arch: "arm64", someDenied: true }, ["cpu"]],
    [{ platform: "darwin", arch: "arm64", someDenied: true }, ["cpu"]],
  ] as const)("orders the backends of %j: %j", (changed, order) => {
    expect(backendOrder({ ...machine, ...changed })).toEqual(order);
  });
});
