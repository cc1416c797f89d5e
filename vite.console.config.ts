import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The console may connect to any deployment. Everything else comes from its own origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self' http: https: ws: wss:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// Only in builds, because the development server needs inline scripts.
const contentSecurityPolicy = (content: string): Plugin => ({
  name: "content-security-policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content }, injectTo: "head-prepend" },
  ],
});

/** The web pages outside of Electron: the console, and with `--mode gallery` the components' gallery. */
export default defineConfig(({ mode }) => {
  const page = mode === "gallery" ? "gallery" : "console";
  return {
    root: `renderer/${page}`,
    base: "./",
    // The gallery shows each story in a frame.
    plugins: [
      react(),
      tailwindcss(),
      contentSecurityPolicy(page === "gallery" ? `${policy}; frame-src 'self'` : policy),
    ],
    build: {
      outDir: `../../out/${page}`,
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0,
      // Libraries rarely change. In a separate file they stay in browsers' caches when the console changes.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: "libraries", test: /node_modules/ }] } },
      },
    },
  };
});
