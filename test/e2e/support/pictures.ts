import type { Page } from "@playwright/test";

/** Small pictures keep the repository small. Words stay readable. */
const widthOf = { 1280: 512, 390: 234 } as const;
export const windowWidths = [1280, 390] as const;
const height = 844;

/** A small picture of what the page shows, as WebP in base64. */
export async function smallPicture(page: Page, width: (typeof windowWidths)[number]): Promise<string> {
  const png = (await page.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
  return await page.evaluate(shrink, {
    png,
    width: widthOf[width],
    height: (height * widthOf[width]) / width,
  });
}

type Shrunk = { readonly png: string; readonly width: number; readonly height: number };

async function shrink({ png, width, height }: Shrunk): Promise<string> {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = Math.round(height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser has no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", 0.35).split(",")[1] ?? "";
}

/** The share of the pixels of two pictures that differ visibly. Pictures of different sizes differ wholly. */
export async function differingShare(page: Page, one: string, other: string): Promise<number> {
  if (one === other) return 0;
  return await page.evaluate(
    async (pictures) => {
      const pixels = await Promise.all(
        pictures.map(async (picture) => {
          const image = new Image();
          image.src = `data:image/webp;base64,${picture}`;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.width;
          canvas.height = image.height;
          const context = canvas.getContext("2d");
          context?.drawImage(image, 0, 0);
          return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
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

/** The machine's part in a picture: its browser, and the widths of letters in its fonts. */
export async function machineOf(page: Page): Promise<{ readonly chromium: string; readonly fonts: string }> {
  const fonts = await page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    if (context === null) return "none";
    const style = getComputedStyle(document.documentElement);
    return ["--font-sans", "--font-mono"]
      .map((family) => {
        context.font = `100px ${style.getPropertyValue(family)}`;
        return context.measureText("Gleaner donates 0123456789").width.toFixed(1);
      })
      .join(" ");
  });
  return { chromium: page.context().browser()?.version() ?? "unknown", fonts };
}
