import type { Shape } from "./canvas.ts";

/**
 * A grain from one tip to the other: the overlap of two circles with equal radius. `width` is the width at its
 * middle.
 */
export function grain(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  width: number,
): Shape {
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const half = Math.hypot(x2 - x1, y2 - y1) / 2;
  const radius = (half * half + (width * width) / 4) / width;
  const offset = radius - width / 2;
  const [nx, ny] = [-(y2 - y1) / (2 * half), (x2 - x1) / (2 * half)];
  return (x, y) =>
    Math.hypot(x - mx - nx * offset, y - my - ny * offset) <= radius &&
    Math.hypot(x - mx + nx * offset, y - my + ny * offset) <= radius;
}

/** A line with round ends. */
export function stroke(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  width: number,
): Shape {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  return (x, y) => {
    const along = length === 0 ? 0 : ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length;
    const t = Math.min(1, Math.max(0, along));
    return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1)) <= width / 2;
  };
}

export function roundedSquare(inset: number, radius: number): Shape {
  const [low, high] = [inset + radius, 32 - inset - radius];
  return (x, y) => {
    const dx = Math.max(low - x, 0, x - high);
    const dy = Math.max(low - y, 0, y - high);
    return Math.hypot(dx, dy) <= radius;
  };
}

export function circle(cx: number, cy: number, radius: number): Shape {
  return (x, y) => Math.hypot(x - cx, y - cy) <= radius;
}

/** The corners go clockwise on the screen. */
export function triangle(...corners: readonly [Corner, Corner, Corner]): Shape {
  return (x, y) =>
    corners.every(([x1, y1], at) => {
      const [x2, y2] = corners[(at + 1) % 3] ?? corners[0];
      return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) >= 0;
    });
}

type Corner = readonly [number, number];

export function union(...shapes: readonly Shape[]): Shape {
  return (x, y) => shapes.some((shape) => shape(x, y));
}

export function without(shape: Shape, hole: Shape): Shape {
  return (x, y) => shape(x, y) && !hole(x, y);
}

/** The shape, scaled around the center and then moved. */
export function placed(shape: Shape, scale: number, dx = 0, dy = 0): Shape {
  return (x, y) => shape((x - dx - 16) / scale + 16, (y - dy - 16) / scale + 16);
}
