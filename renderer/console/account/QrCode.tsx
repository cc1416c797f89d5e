import type { ReactNode } from "react";
import { encode } from "uqr";

type Props = { readonly text: string; readonly label: string };

/** A QR code. It is black on white in both themes, since some cameras read no other. */
export function QrCode({ text, label }: Props): ReactNode {
  const { data, size } = encode(text, { border: 3 });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${String(x)} ${String(y)}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${String(size)} ${String(size)}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border border-line bg-[#fff]"
    >
      <path d={path} className="fill-[#000]" />
    </svg>
  );
}
