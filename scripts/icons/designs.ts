import { type Color, hex, type Layer, type Shape } from "./canvas.ts";
import { circle, grain, placed, roundedSquare, stroke, triangle, union, without } from "./shapes.ts";

/** Gleaner's mark, an ear of grain: five grains on a stem, as in renderer/ui/Logo.tsx. */
const ear: Shape = union(
  grain([16, 1.5], [16, 12.5], 6.4),
  grain([14.8, 19.8], [5.6, 9.2], 6.2),
  grain([17.2, 19.8], [26.4, 9.2], 6.2),
  grain([14.8, 28], [5.6, 18], 6),
  grain([17.2, 28], [26.4, 18], 6),
  stroke([16, 13], [16, 30], 2.2),
);

/** The mark with three thick grains, still legible at 16 pixels. */
const smallEar: Shape = union(
  grain([16, 1], [16, 16], 9.6),
  grain([14.4, 26], [3, 11.5], 8.6),
  grain([17.6, 26], [29, 11.5], 8.6),
  stroke([16, 15], [16, 30], 3),
);

/** The mark as an outline, hollow where the small mark has grains. */
const outlinedEar: Shape = union(
  without(grain([16, 1], [16, 16], 11), grain([16, 4.6], [16, 13.4], 5.4)),
  without(grain([14.4, 26], [3, 11.5], 10.4), grain([12, 23.2], [5.4, 15.2], 4.8)),
  without(grain([17.6, 26], [29, 11.5], 10.4), grain([20, 23.2], [26.6, 15.2], 4.8)),
  stroke([16, 17], [16, 30], 3),
);

const badge = { x: 24, y: 24, radius: 8 } as const;
const ring = circle(badge.x, badge.y, badge.radius + 1.6);
// Bars and gaps of whole pixels in an image of 16 pixels.
const bars = union(stroke([21, 20.5], [21, 27.5], 2), stroke([27, 20.5], [27, 27.5], 2));
const play = triangle([18, 16], [31.5, 24], [18, 32]);
const playGap = triangle([15, 11.5], [36, 24], [15, 36.5]);
const slash = stroke([4, 28.5], [28, 3.5], 3.2);
const slashGap = stroke([4, 28.5], [28, 3.5], 7.4);
const exclamation = union(stroke([27, 4], [27, 19], 6), circle(27, 27.6, 3.6));
const exclamationGap = union(stroke([27, 4], [27, 19], 10), circle(27, 27.6, 6));

/** The states of the tray icon. Their shapes differ too, for eyes and bars without color. */
export type TrayFace = "working" | "donating" | "standby" | "paused" | "needs-you" | "offline";

/** Only mid tones, because taskbars may be light or dark. */
const colors = {
  green: hex("#2f9d72"),
  gray: hex("#8b887d"),
  blue: hex("#6c7cc4"),
  red: hex("#d0574c"),
};

function face(state: TrayFace, ink: Readonly<Record<"mark" | "sign", Color>>): readonly Layer[] {
  switch (state) {
    case "working":
      return [
        { shape: without(smallEar, playGap), color: ink.mark },
        { shape: play, color: ink.sign },
      ];
    case "donating":
      return [{ shape: smallEar, color: ink.mark }];
    case "standby":
      return [{ shape: outlinedEar, color: ink.mark }];
    case "paused":
      return [
        { shape: without(smallEar, ring), color: ink.mark },
        { shape: without(circle(badge.x, badge.y, badge.radius), bars), color: ink.sign },
      ];
    case "needs-you":
      return [
        { shape: without(smallEar, exclamationGap), color: ink.mark },
        { shape: exclamation, color: ink.sign },
      ];
    case "offline":
      return [
        { shape: without(smallEar, slashGap), color: ink.mark },
        { shape: slash, color: ink.sign },
      ];
  }
}

export function trayFace(state: TrayFace): readonly Layer[] {
  const { green, gray, blue, red } = colors;
  const inks = {
    working: { mark: green, sign: green },
    donating: { mark: green, sign: green },
    standby: { mark: gray, sign: gray },
    paused: { mark: gray, sign: blue },
    "needs-you": { mark: gray, sign: red },
    offline: { mark: gray, sign: gray },
  };
  return face(state, inks[state]);
}

/** Black with transparency, for macOS's menu bar. A mark that does not donate has fainter ink. */
export function trayTemplate(state: TrayFace): readonly Layer[] {
  const black = hex("#000000");
  const faint = hex("#000000", 0.45);
  const donates = state === "working" || state === "donating";
  return face(state, { mark: donates || state === "standby" ? black : faint, sign: black });
}

/** `inset` leaves the margin that macOS's icon grid requires. */
export function appIcon(inset: number): readonly Layer[] {
  const scale = (32 - 2 * inset) / 32;
  return [
    { shape: roundedSquare(inset, 7 * scale), color: hex("#17694a") },
    { shape: placed(ear, 0.82 * scale, 0, 0.2), color: hex("#f3e3b3") },
  ];
}
