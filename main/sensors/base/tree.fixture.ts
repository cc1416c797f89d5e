import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates files like the kernel's for the duration of a test. "-> target" makes a link. */
export function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "gleaner-tree-"));
  for (const [path, text] of Object.entries(files)) {
    const at = join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), at);
    else writeFileSync(at, text);
  }
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}
