import { expect, it } from "vitest";
import { calls } from "../../../app/contract/donor-calls.ts";
import { thisComputer } from "./this-computer.ts";

const known = { backendUrl: "https://office:3210", gpuMemoryMb: 6_144, speeds: [] };

it("describes the computer that it runs on", () => {
  const answer = calls.computer.answer.parse(thisComputer(known));
  expect(answer.memoryMb).toBeGreaterThan(100);
  expect(answer.threads).toBeGreaterThan(0);
  expect(answer.system).toMatch(/^(Linux|macOS|Windows) \d/);
});

it("names each backend of its models once", () => {
  const speeds = ["cuda", "cpu", "cuda"].map((backend) => ({ backend }));
  expect(thisComputer({ ...known, speeds }).gpu).toEqual({ memoryMb: 6_144, backends: ["cpu", "cuda"] });
});

it.each([
  ["https://ada:secret@office:3210/join?code=GLN-1#join=GLN-2", "https://office:3210"],
  ["http://127.0.0.1:3210/", "http://127.0.0.1:3210"],
  ["not an address", null],
])("keeps of the address %s only its origin", (backendUrl, backend) => {
  expect(thisComputer({ ...known, backendUrl }).backend).toBe(backend);
});
