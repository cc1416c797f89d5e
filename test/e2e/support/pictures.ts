import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { type Gallery, openStory, type Theme } from "./gallery.ts";

/** Small pictures keep the repository small. Words stay readable. */
const widthOf = { 1280: 512, 390: 234 } as const;
type Width = keyof typeof widthOf;
type Look = { readonly width: Width; readonly theme: Theme };

/** Each story is kept as it looks on a laptop by day and on a phone by night. */
const usual: readonly Look[] = [
  { width: 1280, theme: "light" },
  { width: 390, theme: "dark" },
];
/** The other two, for what people see on their own computer: docs/donor/pictures.md shows all four. */
const ofDonor: readonly Look[] = [
  { width: 1280, theme: "dark" },
  { width: 390, theme: "light" },
];
export const looks: readonly Look[] = [...usual, ...ofDonor];

/** Whether a story shows the panel, or how a computer joins. */
export function isOfDonor(story: string): boolean {
  return /^(panel|first-run|switch)(-|$)/.test(story);
}

/** Whether a story is kept in this look. */
export function isKeptIn(look: Look, story: string): boolean {
  return usual.includes(look) || isOfDonor(story);
}
const height = 844;

/** A small picture of what the page shows, as WebP in base64. */
export async function smallPicture(page: Page, width: Width): Promise<string> {
  const png = (await page.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
  return await page.evaluate(shrink, {
    png,
    width: widthOf[width],
    height: (height * widthOf[width]) / width,
  });
}

type Shrunk = { readonly png: string; readonly width: number; readonly height: number };

async function shrink({ png, width, height }: Shrunk): Promise<string> {
  // Bitmaps are freed at once. The memory of `Image`s grows to gigabytes in a page that takes hundreds of pictures.
  const bytes = Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = Math.round(height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser has no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return canvas.toDataURL("image/webp", 0.35).split(",")[1] ?? "";
}

/** The share of the pixels of two pictures that differ visibly. Pictures of different sizes differ wholly. */
export async function differingShare(page: Page, one: string, other: string): Promise<number> {
  if (one === other) return 0;
  return await page.evaluate(
    async (pictures) => {
      const pixels = await Promise.all(
        pictures.map(async (picture) => {
          const bytes = Uint8Array.from(atob(picture), (byte) => byte.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes]));
          const { width, height } = image;
          const context = new OffscreenCanvas(width, height).getContext("2d");
          context?.drawImage(image, 0, 0);
          image.close();
          return context?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
        }),
      );
      const [a = new Uint8ClampedArray(), b = new Uint8ClampedArray()] = pixels;
      if (a.length !== b.length || a.length === 0) return 1;
      let differing = 0;
      for (let at = 0; at < a.length; at += 4) {
        // Less is noise of the compression.
        const isVisible = [0, 1, 2].some(
          (channel) => Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0)) > 32,
        );
        if (isVisible) differing += 1;
      }
      return differing / (a.length / 4);
    },
    [one, other],
  );
}

export type Machine = {
  readonly chromium: string;
  /** The hash of a drawing with letters, curves, shadows and lines. It differs with fonts and with how pixels are drawn. */
  readonly drawing: string;
};

const sample = `
  <p style="font: 15px var(--font-sans); color: #345">Gleaner donates 0123456789 äöü</p>
  <p style="font: 600 22px var(--font-mono); color: #111">Gleaner donates 0123456789</p>
  <p style="font: 15px var(--font-sans)">→ ← ✓ ⌘ ▾ ₂</p>
  <div style="width: 90px; height: 30px; border: 1px solid #789; border-radius: 9px; background: linear-gradient(#fff, #acf);
    box-shadow: 0 2px 6px #0004"></div>
  <svg width="60" height="60" fill="none" stroke="#046" stroke-width="1.5"><circle cx="30" cy="30" r="21" /><path d="M3 3l50 31" /></svg>
  <progress value="0.4"></progress><input type="checkbox" checked /><select><option>Models</option></select>`;

/** The machine's part in a picture of the gallery: its browser, and how that draws here. */
export async function machineOf(page: Page, gallery: Gallery): Promise<Machine> {
  const own = await page.context().newPage();
  try {
    await own.setViewportSize({ width: 480, height: 320 });
    await openStory(own, gallery, "components", "light");
    await own.evaluate((html) => {
      document.body.innerHTML = html;
    }, sample);
    const drawing = createHash("sha256").update(await own.screenshot({ animations: "disabled" }));
    return { chromium: page.context().browser()?.version() ?? "unknown", drawing: drawing.digest("hex") };
  } finally {
    await own.close();
  }
}
