import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { pagePolicy } from "./packages/embedded/http/site/page-policy.ts";
import { contentSecurityPolicy } from "./vite.content-security-policy.ts";
import { languages } from "./vite.languages.ts";

/** The console may connect to any deployment. A backend that serves it allows only its own. */
const anyDeployment = ["http:", "https:", "ws:", "wss:"];

/** The web pages outside of Electron: the console, and with `--mode gallery` the components' gallery. */
export default defineConfig(({ mode }) => {
  const page = mode === "gallery" ? "gallery" : "console";
  return {
    root: `renderer/${page}`,
    base: "./",
    plugins: [
      languages(),
      react(),
      tailwindcss(),
      contentSecurityPolicy({ policy: pagePolicy(anyDeployment), frames: page === "gallery" }),
    ],
    build: {
      outDir: `../../out/${page}`,
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0,
      // The libraries are one file on purpose. `npm start` would print the warning.
      chunkSizeWarningLimit: 1_000,
      // Libraries rarely change. In a separate file they stay in browsers' caches when the console changes.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              // The page loads its language before all text. Vite's own helper loads both.
              {
                name: "languages",
                test: /renderer[\\/]languages|[\\/]wuchale[\\/]|preload-helper/,
                priority: 2,
              },
              { name: "charts", test: /node_modules\/uplot/, priority: 1 },
              { name: "libraries", test: /node_modules/ },
              // Each page is a file of its own. Without this, each component that two of them use is one, too.
              { name: "shared", test: /renderer[\\/](ui|console)|app[\\/]/, minShareCount: 2 },
            ],
          },
        },
      },
    },
  };
});
