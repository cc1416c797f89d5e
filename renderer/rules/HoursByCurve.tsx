import { type ReactNode, useState } from "react";
import { plural } from "../../app/format/quantity.ts";
import type { ScheduleWindow } from "../../app/policy/rules/schedule.ts";
import { Button } from "../ui/controls/Button.tsx";
import { Field } from "../ui/controls/Field.tsx";
import { TextArea } from "../ui/controls/TextArea.tsx";
import { hoursAtMost } from "./hours-at-most.ts";

type Props = {
  readonly onChoose: (windows: readonly ScheduleWindow[]) => void;
  readonly onClose: () => void;
};

/** Chooses the hours in which electricity is cheap or clean. It has no form element, since it is used inside of one. */
export function HoursByCurve({ onChoose, onClose }: Props): ReactNode {
  const [values, setValues] = useState("");
  const [limit, setLimit] = useState("");
  const chosen = hoursAtMost(values, limit);
  const isTyped = values.trim() !== "" && limit.trim() !== "";
  const errorOf = (part: "values" | "limit"): string | null =>
    isTyped && chosen.kind === "wrong" && chosen.part === part ? chosen.why : null;
  const choose = (): void => {
    if (chosen.kind === "wrong") return;
    onChoose(chosen.windows);
    onClose();
  };
  return (
    <fieldset
      aria-label="Hours with cheap or clean power"
      className="grid min-w-0 grid-cols-1 gap-2 rounded-md border border-line p-2"
    >
      <TextArea
        label="Price or carbon intensity of each hour"
        hint="24 numbers for the hours of every day, or 168 for those of a week from Monday, such as from your supplier or your grid operator. The first one is the hour after midnight, in the computer’s own time zone."
        error={errorOf("values")}
        code
        rows={4}
        value={values}
        onChange={(event) => setValues(event.target.value)}
      />
      <Field
        label="Donate in hours with at most"
        {...(chosen.kind === "ok"
          ? { hint: plural(chosen.hours, ["# hour of a week.", "# hours of a week."]) }
          : {})}
        error={errorOf("limit")}
        inputMode="decimal"
        value={limit}
        onChange={(event) => setLimit(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          choose();
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={chosen.kind === "wrong"} onClick={choose}>
          Use these hours
        </Button>
        <Button size="sm" look="quiet" onClick={onClose}>
          Keep the hours
        </Button>
      </div>
    </fieldset>
  );
}
