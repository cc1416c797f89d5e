import type { ReactNode } from "react";
import type { ComfortView } from "../../../app/comfort/view.ts";
import { sayTightening } from "../../../app/comfort/words.ts";
import { formatMoment } from "../../../app/format/time.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { useFromNow } from "../../ui/clock.ts";

type Props = { readonly comfort: ComfortView; readonly rules: Rules };

/** By how much the limits are tightened, why, and until when. Nothing if they are not. */
export function Tightened({ comfort: { tightening, mostThreads }, rules }: Props): ReactNode {
  const sentence = useFromNow(
    (now) => sayTightening(tightening, rules, mostThreads, (at) => formatMoment(at, now)) ?? "",
  );
  return sentence === "" ? null : <p>{sentence}</p>;
}
