import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Bundles the donor without Electron and its runner, which saves memory: no unused code is loaded, and no type stripping
 * is needed. Also bundles the `gleaner` command of the installed program. node-llama-cpp and koffi are not bundled, because
 * they look for their libraries relative to their own files.
 */
export default defineConfig({
  // Only a checkout fetches Electron.
  ssr: { noExternal: true, external: ["koffi", "node-llama-cpp", "@electron/get"] },
  build: {
    ssr: true,
    outDir: "out/headless",
    // It loads from the disk, so a large file costs little. `npm start` would print the warning.
    chunkSizeWarningLimit: 2_000,
    emptyOutDir: true,
    target: "node24",
    minify: true,
    rolldownOptions: {
      input: {
        headless: at("main/headless.ts"),
        "runner-process": at("main/runner/runner-process.ts"),
        gleaner: at("cli/gleaner-installed.ts"),
      },
      // In one folder, because launch/core/paths.ts finds the program's folder relative to its own.
      output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});
