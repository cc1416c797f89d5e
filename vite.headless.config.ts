import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The donor without Electron, as two files: of what it imports only what it uses is loaded, and neither a compiler of
 * TypeScript nor a hundred modules stay in its memory. node-llama-cpp finds its libraries beside itself. The third is the
 * command `gleaner` of an installed program.
 */
export default defineConfig({
  ssr: { noExternal: true, external: ["node-llama-cpp"] },
  build: {
    ssr: true,
    outDir: "out/headless",
    emptyOutDir: true,
    target: "node24",
    minify: true,
    rolldownOptions: {
      input: {
        headless: at("main/headless.ts"),
        "runner-process": at("main/runner/runner-process.ts"),
        gleaner: at("cli/gleaner-installed.ts"),
      },
      output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
});
