import type { ReactNode } from "react";
import { formatCount, plural } from "../../../../app/format/quantity.ts";
import type { DeviceRow } from "../../data/rows.ts";
import { knownFacts, unknownWords } from "../device-details.ts";

type Props = {
  readonly device: DeviceRow;
  readonly initiallyOpen?: boolean;
};

/** The known facts of the device, and those that cannot be known there. */
export function DeviceFacts({ device, initiallyOpen = false }: Props): ReactNode {
  const known = knownFacts(device);
  const unknown = device.unknownFacts ?? [];
  const knownWords = plural(known.length, ["# known fact", "# known facts"]);
  return (
    <details open={initiallyOpen} className="mt-3 text-muted">
      <summary className="w-fit cursor-pointer">
        {unknown.length === 0 ? knownWords : `${knownWords}, ${formatCount(unknown.length)} cannot be known`}
      </summary>
      <dl aria-label="Known facts" className="mt-2 grid max-w-3xl gap-x-6 gap-y-1 sm:grid-cols-2">
        {known.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-3 border-b border-line py-0.5">
            <dt>{label}</dt>
            <dd className="text-right text-ink wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {device.limits === null ? null : (
        <p className="mt-2 max-w-prose">
          Kinds, GPU, memory and context are within the limits that the organization has set.
        </p>
      )}
      <p className="mt-2 max-w-prose">
        The device reported these. What its sensors read, such as the last input or the temperature, stays on
        the device. The organization learns only whether it donates, the reason, and figures of each hour of
        donation: stops, delays of other programs, heat, battery and fan.
      </p>
      {unknown.length === 0 ? null : (
        <p className="mt-2 max-w-prose">
          Its system or its hardware does not tell Gleaner: {unknownWords(unknown)}. Rules that need such a
          fact treat it as unknown. Gleaner never guesses.
        </p>
      )}
    </details>
  );
}
