import { expect, it } from "vitest";
import { sourceUrl } from "./source-url.ts";

const at = (source: string, environment = {}): string | undefined => sourceUrl(source, environment)?.href;

it("resolves a file on Hugging Face or on a mirror", () => {
  const source = "hf:someone/a-repo/sub folder/m.gguf";
  expect(at(source)).toBe("https://huggingface.co/someone/a-repo/resolve/main/sub%20folder/m.gguf");
  const mirror = { GLEANER_HF_MIRROR: "https://mirror.example.org/hf/" };
  expect(at(source, mirror)).toBe(
    "https://mirror.example.org/hf/someone/a-repo/resolve/main/sub%20folder/m.gguf",
  );
  expect(at(source, { GLEANER_HF_MIRROR: "http://mirror.example.org" })).toBeUndefined();
  expect(at("hf:someone/a-repo")).toBeUndefined();
});

it("accepts only https, and in tests http from this machine", () => {
  expect(at("https://example.org/m?x=1")).toBe("https://example.org/m?x=1");
  expect(at("http://127.0.0.1:81/m", { GLEANER_TEST_LOCAL_SOURCES: "1" })).toBe("http://127.0.0.1:81/m");
  for (const source of [
    "bundled",
    "http://127.0.0.1:81/m",
    "http://example.org/m",
    "file:///etc/passwd",
    "https://u:p@example.org/m",
  ]) {
    expect(at(source)).toBeUndefined();
  }
});
