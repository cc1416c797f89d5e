import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { batchLimits } from "../../../app/batches/limits.ts";
import { parseLine } from "../../../app/batches/parse-line.ts";
import { beginSnippets, exampleLine, fetchSnippets } from "./batch-snippets.ts";

const server = { apiBase: "https://gleaner.example.org", ownCertificate: false };

describe("the example of a batch", () => {
  it("has a line that the backend takes", () => {
    const line = { number: 1, text: exampleLine("gleaner-demo"), end: 0 };
    expect(parseLine(line, "/v1/chat/completions")).toMatchObject({
      kind: "parsed",
      request: { customId: "q1" },
    });
  });

  it("names the server, and its certificate if that is its own", () => {
    for (const { text } of beginSnippets(server)) {
      expect(text).toContain("https://gleaner.example.org/v1");
      expect(text).toContain("GLEANER_KEY");
      expect(text).not.toContain("certificate");
    }
    for (const { text } of beginSnippets({ ...server, ownCertificate: true }))
      expect(text).toContain("certificate.pem");
  });
});

describe("the example that fetches the files", () => {
  it("stores each file under its name", () => {
    const files = [
      { fileId: "file-1", bytes: 10, name: "answers" },
      { fileId: "file-2", bytes: 10, name: "errors" },
    ];
    for (const { text } of fetchSnippets(server, files)) {
      expect(text).toContain("file-1");
      expect(text).toContain("errors.jsonl");
      expect(text).not.toMatch(/Range|range|-r /);
    }
  });

  // Windows has no sh.
  it.skipIf(process.platform === "win32")(
    "fetches a long file in parts, which curl puts together",
    async () => {
      const content = Buffer.alloc(batchLimits.fileBytes * 2 + 7, "0123456789");
      const ranges: string[] = [];
      const host = createServer((request, response) => {
        ranges.push(request.headers.range ?? "");
        const [, from = "", to = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
        response.writeHead(206).end(content.subarray(Number(from), Number(to) + 1));
      });
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
      const folder = await mkdtemp(join(tmpdir(), "gleaner-snippet-"));
      try {
        const { port } = host.address() as AddressInfo;
        const file = { fileId: "file-1", bytes: content.length, name: "answers" };
        const snippets = fetchSnippets({ ...server, apiBase: `http://127.0.0.1:${String(port)}` }, [file]);
        const curl = snippets.find(({ label }) => label === "curl")!.text;
        await promisify(execFile)("sh", ["-c", curl], {
          cwd: folder,
          env: { ...process.env, GLEANER_KEY: "k" },
        });
        expect(ranges).toHaveLength(3);
        expect((await readFile(join(folder, "answers.jsonl"))).equals(content)).toBe(true);
      } finally {
        host.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
