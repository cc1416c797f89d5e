import { type Color, hex, type Layer, type Shape } from "./canvas.ts";
import { circle, grain, placed, roundedSquare, stroke, union, without } from "./shapes.ts";

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

const badge = { x: 24, y: 24, radius: 8 } as const;
const ring = circle(badge.x, badge.y, badge.radius + 1.6);
const bars = union(stroke([21.6, 20.2], [21.6, 27.8], 3), stroke([26.4, 20.2], [26.4, 27.8], 3));
const slash = stroke([4, 28.5], [28, 3.5], 3.2);
const slashGap = stroke([4, 28.5], [28, 3.5], 7.4);

export type TrayFace = "donating" | "standby" | "paused" | "offline";

/** Only mid tones, because taskbars may be light or dark. */
const colors = {
  green: hex("#2f9d72"),
  gray: hex("#8b887d"),
  amber: hex("#c98a1b"),
  blue: hex("#6c7cc4"),
  red: hex("#d0574c"),
};

function face(state: TrayFace, ink: Readonly<Record<"mark" | "sign", Color>>): readonly Layer[] {
  switch (state) {
    case "donating":
    case "standby":
      return [{ shape: smallEar, color: ink.mark }];
    case "paused":
      return [
        { shape: without(smallEar, ring), color: ink.mark },
        { shape: without(circle(badge.x, badge.y, badge.radius), bars), color: ink.sign },
      ];
    case "offline":
      return [
        { shape: without(smallEar, slashGap), color: ink.mark },
        { shape: slash, color: ink.sign },
      ];
  }
}

export function trayFace(state: TrayFace): readonly Layer[] {
  const { green, gray, amber, blue, red } = colors;
  const inks = {
    donating: { mark: green, sign: green },
    standby: { mark: amber, sign: amber },
    paused: { mark: gray, sign: blue },
    offline: { mark: gray, sign: red },
  };
  return face(state, inks[state]);
}

/** Black with transparency, for macOS's menu bar. Standby has fainter ink than donating. */
export function trayTemplate(state: TrayFace): readonly Layer[] {
  const black = hex("#000000");
  const faint = hex("#000000", 0.45);
  return face(state, { mark: state === "donating" ? black : faint, sign: black });
}

/** `inset` leaves the margin that macOS's icon grid requires. */
export function appIcon(inset: number): readonly Layer[] {
  const scale = (32 - 2 * inset) / 32;
  return [
    { shape: roundedSquare(inset, 7 * scale), color: hex("#17694a") },
    { shape: placed(ear, 0.82 * scale, 0, 0.2), color: hex("#f3e3b3") },
  ];
}
