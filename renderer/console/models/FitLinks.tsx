import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { hrefOf } from "../shell/route.ts";

type Props = {
  /** The memory that the model needs. */
  readonly needsBytes: number;
  /** All devices in service, and those that have the memory. Absent: not counted. */
  readonly devices?: number;
  readonly fitting?: number;
};

/** Links to the devices that could run a model, and to the others, in a new tab: the form stays. */
export function FitLinks({ needsBytes, devices, fitting }: Props): ReactNode {
  const gigabytes = String(needsBytes / 1e9);
  const others = devices === undefined || fitting === undefined ? undefined : devices - fitting;
  const links = [
    { part: "fits", words: "Show those that could", number: fitting },
    { part: "lacks", words: "Show the others", number: others },
  ].filter(({ number }) => number !== 0);
  return links.length === 0 ? null : (
    <p className="flex flex-wrap gap-x-4">
      {links.map(({ part, words, number }) => (
        <a
          key={part}
          href={hrefOf("devices", undefined, { [part]: gigabytes })}
          target="_blank"
          rel="noreferrer"
          className="font-medium text-accent hover:underline"
        >
          {number === undefined ? words : `${words} (${formatCount(number)})`}
        </a>
      ))}
    </p>
  );
}
