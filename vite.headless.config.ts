import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The donor without Electron, bundled into two files: it loads only the code that it uses, and no TypeScript compiler.
 * node-llama-cpp is not bundled, because it finds its libraries beside itself. The third file is the command `gleaner`
 * of an installed program.
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
