/** A position: x to the right, y down, both from 0 to 32. */
export type Shape = (x: number, y: number) => boolean;

export type Color = { readonly r: number; readonly g: number; readonly b: number; readonly a: number };

export type Layer = { readonly shape: Shape; readonly color: Color };

/** Samples per pixel and axis. Small images need smoother edges. */
const samplesFor = (size: number): number => (size < 128 ? 8 : 4);

/** Draws layers, later over earlier, into RGBA bytes of size × size pixels. */
export function draw(layers: readonly Layer[], size: number): Uint8Array {
  const pixels = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) pixels.set(pixel(layers, x, y, size), (y * size + x) * 4);
  }
  return pixels;
}

function pixel(layers: readonly Layer[], x: number, y: number, size: number): readonly number[] {
  const scale = 32 / size;
  const samples = samplesFor(size);
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let at = 0; at < samples * samples; at += 1) {
    const sx = (x + ((at % samples) + 0.5) / samples) * scale;
    const sy = (y + (Math.floor(at / samples) + 0.5) / samples) * scale;
    const top = layers.findLast((layer) => layer.shape(sx, sy));
    if (top === undefined) continue;
    // Weighted by alpha, so that transparent samples add no color to the edge.
    red += top.color.r * top.color.a;
    green += top.color.g * top.color.a;
    blue += top.color.b * top.color.a;
    alpha += top.color.a;
  }
  if (alpha === 0) return [0, 0, 0, 0];
  const channel = (sum: number): number => Math.round(sum / alpha);
  return [channel(red), channel(green), channel(blue), Math.round((alpha * 255) / (samples * samples))];
}

export function hex(text: string, a = 1): Color {
  const channel = (at: number): number => parseInt(text.slice(at, at + 2), 16);
  return { r: channel(1), g: channel(3), b: channel(5), a };
}
