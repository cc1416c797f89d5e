import type { ReactNode } from "react";
import { formatMonth } from "../../../app/format/time.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { SelectBox } from "./Select.tsx";

const shownMonths = 13;

type Props = {
  /** A moment in the newest month. */
  readonly now: number;
  /** The start of the chosen month (UTC); ms epoch. */
  readonly month: number;
  readonly onMonth: (month: number) => void;
};

/** Chooses a month of the last year. */
export function MonthBox({ now, month, onMonth }: Props): ReactNode {
  const months = Array.from({ length: shownMonths }, (_, back) => monthOf(now, -back));
  return (
    <div className="w-44">
      <SelectBox
        aria-label="Month"
        value={String(month)}
        options={months.map((at) => ({ value: String(at), label: formatMonth(at) }))}
        onChange={(chosen) => onMonth(Number(chosen))}
      />
    </div>
  );
}
