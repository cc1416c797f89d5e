import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";
import { panelPolicy } from "./main/face/panel-policy.ts";
import { contentSecurityPolicy } from "./vite.content-security-policy.ts";
import { languages } from "./vite.languages.ts";
import { programText } from "./vite.program-text.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Bundles the desktop program into out/: main, preload and renderer. The main bundle contains its packages, which saves
 * memory and time at the start. Three look for their own files: node-llama-cpp, koffi and systeminformation. The preload script
 * is one CommonJS file, because Electron's sandbox loads nothing else.
 */
export default defineConfig({
  main: {
    plugins: [programText()],
    build: {
      outDir: "out/main",
      // It loads from the disk, so a large file costs little. `npm start` would print the warning.
      chunkSizeWarningLimit: 2_000,
      target: "node20.18",
      externalizeDeps: false,
      minify: true,
      rolldownOptions: {
        external: ["koffi", "node-llama-cpp", "systeminformation"],
        input: { desktop: at("main/desktop.ts"), "runner-process": at("main/runner/runner-process.ts") },
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  },
  preload: {
    build: {
      outDir: "out/preload",
      target: "node20.18",
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: at("main/face/electron/preload.ts") },
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  renderer: {
    root: "renderer/panel",
    base: "./",
    plugins: [
      languages(),
      react(),
      tailwindcss(),
      // In a browser the panel connects to its donor's port, in Electron to nothing.
      contentSecurityPolicy({ policy: panelPolicy(["'self'", "ws://127.0.0.1:*", "ws://localhost:*"]) }),
    ],
    build: {
      outDir: "out/renderer",
      chunkSizeWarningLimit: 2_000,
      target: "chrome130",
      minify: true,
      assetsInlineLimit: 0,
      rolldownOptions: { input: at("renderer/panel/index.html") },
    },
  },
});
