import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import type { Page } from "@playwright/test";
import { build } from "vite";

export type Gallery = { readonly url: string; readonly close: () => Promise<void> };

export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

const repository = join(import.meta.dirname, "../../..");
/** A story is drawn within a second. A minute later, its code is missing or fails. */
const mostMsToDraw = 60_000;
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * Builds the gallery and serves it on this machine. Each gallery has a folder of its own, since tests that run at the
 * same time each build one.
 */
export async function startGallery(): Promise<Gallery> {
  const root = await mkdtemp(join(tmpdir(), "gleaner-gallery-"));
  const configFile = join(repository, "vite.console.config.ts");
  await build({ configFile, mode: "gallery", logLevel: "warn", build: { outDir: root, emptyOutDir: true } });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = normalize(pathname === "/" ? "/index.html" : pathname);
    readFile(join(root, path)).then(
      (body) => response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The ids of all stories. */
export async function storiesOf(page: Page, gallery: Gallery): Promise<readonly string[]> {
  // The index shows each story in a frame. Only their names matter here.
  await page.route("**/?story=*", (route) => route.abort());
  await page.goto(gallery.url);
  await page.locator("figcaption a").first().waitFor();
  const names = await page.locator("figcaption a").allInnerTexts();
  await page.unroute("**/?story=*");
  return names;
}

/** Opens one story and waits until it is drawn. A gallery that is open already is not loaded again. */
export async function openStory(page: Page, gallery: Gallery, story: string, theme: Theme): Promise<void> {
  const address = `${gallery.url}?story=${story}&theme=${theme}`;
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  if (page.url().startsWith(`${gallery.url}?story=`)) {
    await page.evaluate((url) => {
      window.history.replaceState(null, "", url);
      window.scrollTo(0, 0);
      window.dispatchEvent(new PopStateEvent("popstate"));
    }, address);
  } else {
    await page.goto(address);
    await page.locator("#root > *").first().waitFor({ timeout: mostMsToDraw });
  }
  await page.evaluate(async (mostMs) => {
    const drawn = (): Promise<unknown> =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.all([...document.fonts].map((font) => font.load()));
    // Charts draw when their size is known.
    await drawn();
    // A part whose code is still being loaded.
    const until = performance.now() + mostMs;
    while (document.querySelector("[data-suspended]") !== null) {
      if (performance.now() > until) throw new Error("a part of the story was not loaded");
      await drawn();
    }
    await drawn();
  }, mostMsToDraw);
}
