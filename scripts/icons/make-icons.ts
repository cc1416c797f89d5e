import { mkdirSync, writeFileSync } from "node:fs";
import { draw, type Layer } from "./canvas.ts";
import { appIcon, type TrayFace, trayFace, trayTemplate } from "./designs.ts";
import { icns, ico, png, type Sized } from "./image-files.ts";

/** Draws all icons again from designs.ts, their only source: `node scripts/icons/make-icons.ts`. */
const out = new URL("../../resources/icons/", import.meta.url);
mkdirSync(new URL("tray/", out), { recursive: true });

const rendered = (layers: readonly Layer[], size: number): Sized => ({
  size,
  png: png(draw(layers, size), size),
});
const write = (name: string, data: Buffer): void => writeFileSync(new URL(name, out), data);

for (const state of [
  "working",
  "donating",
  "standby",
  "paused",
  "needs-you",
  "offline",
] satisfies TrayFace[]) {
  // Electron uses NAME@2x.png automatically on dense screens. Windows and Linux need 32 pixels for sharp scaling.
  write(`tray/${state}.png`, rendered(trayFace(state), 32).png);
  write(`tray/${state}@2x.png`, rendered(trayFace(state), 64).png);
  write(`tray/${state}Template.png`, rendered(trayTemplate(state), 16).png);
  write(`tray/${state}Template@2x.png`, rendered(trayTemplate(state), 32).png);
  write(`tray/${state}.ico`, ico([16, 20, 24, 32, 48].map((size) => rendered(trayFace(state), size))));
}

const square = [16, 24, 32, 48, 64, 128, 256, 512].map((size) => rendered(appIcon(0.5), size));
write("icon.ico", ico(square.filter(({ size }) => size <= 256)));
for (const { size, png } of square) if (size >= 32 && size !== 24) write(`${size}x${size}.png`, png);
write("icon.png", rendered(appIcon(0.5), 1024).png);
write("icon.icns", icns([32, 64, 128, 256, 512, 1024].map((size) => rendered(appIcon(3), size))));
