import type { Input, WebContents } from "electron";

/** As browsers have them. */
const factors = [1, 1.1, 1.25, 1.5, 1.75, 2];

type Direction = "in" | "out" | "reset";

/** The factor after a step, from 100 to 200 percent. Chromium's own factors are rounded, so they are compared with some room. */
export function zoomed(factor: number, direction: Direction): number {
  const room = 0.01;
  switch (direction) {
    case "in":
      return factors.find((each) => each > factor + room) ?? 2;
    case "out":
      return factors.findLast((each) => each < factor - room) ?? 1;
    case "reset":
      return 1;
  }
}

/** The zoom that a key asks for. Null: none. Some keyboards need Shift for the plus, others for the equals sign. */
export function zoomOfKey({
  type,
  key,
  control,
  meta,
  alt,
}: Pick<Input, "type" | "key" | "control" | "meta" | "alt">): Direction | null {
  if (type !== "keyDown" || alt || control === meta) return null;
  if (key === "+" || key === "=") return "in";
  if (key === "-" || key === "_") return "out";
  return key === "0" ? "reset" : null;
}

/** Lets a person zoom a page. A window without a menu does not do it by itself. */
export function allowZoom(contents: WebContents): void {
  const zoom = (direction: Direction): void =>
    contents.setZoomFactor(zoomed(contents.getZoomFactor(), direction));
  contents.on("before-input-event", (event, input) => {
    const direction = zoomOfKey(input);
    if (direction === null) return;
    event.preventDefault();
    zoom(direction);
  });
  // The wheel with Control.
  contents.on("zoom-changed", (_event, direction) => zoom(direction));
}
