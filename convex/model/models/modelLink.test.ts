import { expect, it } from "vitest";
import { modelSource } from "../../../app/models/catalog-entry.ts";
import { hostsFrom, isAllowed, parseModelLink } from "./modelLink.ts";

const qwen = {
  url: "https://huggingface.co/Qwen/Qwen3-4B-GGUF/resolve/main/Qwen3-4B-Q4_K_M.gguf",
  source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
  file: "Qwen3-4B-Q4_K_M.gguf",
};

it.each([
  "https://huggingface.co/Qwen/Qwen3-4B-GGUF/resolve/main/Qwen3-4B-Q4_K_M.gguf",
  "https://huggingface.co/Qwen/Qwen3-4B-GGUF/resolve/main/Qwen3-4B-Q4_K_M.gguf?download=true",
  " https://huggingface.co/Qwen/Qwen3-4B-GGUF/blob/main/Qwen3-4B-Q4_K_M.gguf ",
  "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
  "Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
])("reads %s", (link) => {
  expect(parseModelLink(link)).toEqual(qwen);
  expect(modelSource.safeParse(qwen.source).success).toBe(true);
});

it("keeps another revision, a folder, and another server's address", () => {
  const revision = "https://huggingface.co/a/b/resolve/0a1b/q4/x.gguf";
  expect(parseModelLink(revision)).toEqual({ url: revision, source: revision, file: "x.gguf" });
  expect(parseModelLink("a/b/q4/x.gguf")).toMatchObject({ source: "hf:a/b/q4/x.gguf", file: "x.gguf" });
  expect(parseModelLink("https://models.example.org/x.gguf")).toMatchObject({
    source: "https://models.example.org/x.gguf",
  });
});

it.each([
  "",
  "Qwen/Qwen3-4B-GGUF",
  "http://huggingface.co/a/b/resolve/main/x.gguf",
  "file:///etc/x.gguf",
  "https://huggingface.co/a/b/resolve/main/README.md",
  "a/b/../../x.gguf",
  "https://huggingface.co/%ff/x.gguf",
  `a/b/${"c".repeat(2_000)}.gguf`,
])("refuses the link %s", (link) => {
  expect(parseModelLink(link)).toBeNull();
});

it.each([
  ["https://huggingface.co/x", true],
  ["https://cdn-lfs.huggingface.co/x", true],
  ["https://cas-bridge.xethub.hf.co/x", true],
  ["http://huggingface.co/x", false],
  ["https://huggingface.co:8443/x", false],
  ["https://me:secret@huggingface.co/x", false],
  ["https://huggingface.co.example.org/x", false],
  ["https://evilhf.co/x", false],
  ["https://127.0.0.1/x", false],
  ["https://[::1]/x", false],
  ["https://169.254.169.254/latest/meta-data", false],
  ["https://localhost/x", false],
])("by default allows the hub only: %s is %s", (url, allowed) => {
  expect(isAllowed(new URL(url), hostsFrom(undefined))).toBe(allowed);
});

it("allows the operator's hosts in place of the hub's", () => {
  const hosts = hostsFrom("models.example.org, *.Mirror.example");
  expect(isAllowed(new URL("https://models.example.org/x"), hosts)).toBe(true);
  expect(isAllowed(new URL("https://a.mirror.example/x"), hosts)).toBe(true);
  expect(isAllowed(new URL("https://huggingface.co/x"), hosts)).toBe(false);
});
