import { type ReactNode, useState } from "react";
import { formatCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { HouseRules } from "../data/rows.ts";
import { bonusDays, hoursWords, parseRules, type TypedRules } from "./parse-rules.ts";

type Props = {
  /** Undefined while they load. */
  readonly rules: HouseRules | undefined;
  /** Resolves to whether they were saved. Null: the member only reads. */
  readonly onSave: ((rules: HouseRules) => Promise<boolean>) | null;
};

/** The rules for earned credits. */
export function HouseRulesCard({ rules, onSave }: Props): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card
      title="Rules for earned credits"
      aside={
        onSave === null || rules === undefined ? null : (
          <Button size="sm" onClick={() => setIsOpen(true)}>
            Change
          </Button>
        )
      }
    >
      {rules === undefined ? <p className="text-muted">–</p> : <RuleWords rules={rules} />}
      {isOpen && rules !== undefined && onSave !== null ? (
        <HouseRulesDialog rules={rules} onSave={onSave} onClose={() => setIsOpen(false)} />
      ) : null}
    </Card>
  );
}

function RuleWords({ rules: { expireMonths, bonus, payout } }: { readonly rules: HouseRules }): ReactNode {
  return (
    <ul className="grid gap-1 text-sm">
      <li>
        {expireMonths === null ? (
          <>Credits do not expire.</>
        ) : (
          <>Credits expire {expireMonths} months after the month in which they were earned.</>
        )}
      </li>
      <li>
        {bonus === null ? (
          <>No hour earns more.</>
        ) : (
          `Answers earn ${String(bonus.percent)} % more on ${hoursWords(bonus.hours)} (UTC), at most ${formatCredits(bonus.capMicro)} for each device and day.`
        )}
      </li>
      <li>
        {payout === null ? (
          <>Credits are not paid out.</>
        ) : (
          <>
            A credit is paid out as {formatExactCredits(payout.perCreditMicro)} {payout.currency}, once a
            payout is approved.
          </>
        )}
      </li>
    </ul>
  );
}

type DialogProps = {
  readonly rules: HouseRules;
  readonly onSave: (rules: HouseRules) => Promise<boolean>;
  readonly onClose: () => void;
};

export function HouseRulesDialog({ rules, onSave, onClose }: DialogProps): ReactNode {
  const { expireMonths, bonus, payout } = rules;
  const [typed, setTyped] = useState<TypedRules>({
    months: expireMonths === null ? "" : String(expireMonths),
    percent: bonus === null ? "" : String(bonus.percent),
    cap: bonus === null ? "" : formatExactCredits(bonus.capMicro),
    days: [...new Set(bonus?.hours.map(({ day }) => day))],
    from: String(bonus?.hours[0]?.from ?? 18),
    to: String(bonus?.hours[0]?.to ?? 24),
    perCredit: payout === null ? "" : formatExactCredits(payout.perCreditMicro),
    currency: payout?.currency ?? "",
  });
  const parsed = parseRules(typed);
  const field = (name: Exclude<keyof TypedRules, "days">, label: string, hint?: string): ReactNode => (
    <Field
      label={label}
      {...(hint === undefined ? {} : { hint })}
      inputMode={name === "currency" ? "text" : "decimal"}
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
    />
  );
  return (
    <Dialog title="Rules for earned credits" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={typeof parsed === "string"}
        onSubmit={async () => {
          if (typeof parsed !== "string" && (await onSave(parsed))) onClose();
        }}
        onClose={onClose}
      >
        {field(
          "months",
          "Months until credits expire",
          "Empty: never. Under a new rule none expire before 30 days have passed.",
        )}
        {field(
          "percent",
          "Percent more in bonus hours",
          "Empty: no bonus. The organization gives it, not the requester.",
        )}
        <fieldset className="grid gap-1.5">
          <legend className="mb-1 text-xs text-muted">Days of the bonus</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1.5">
            {bonusDays.map(({ day, words }) => (
              <Checkbox
                key={day}
                label={words}
                checked={typed.days.includes(day)}
                onChange={(checked) =>
                  setTyped({
                    ...typed,
                    days: checked ? [...typed.days, day] : typed.days.filter((each) => each !== day),
                  })
                }
              />
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-3">
          {field("from", "From hour (UTC)")}
          {field("to", "To hour (UTC)")}
        </div>
        {field("cap", "Most bonus for a device and a day", "In credits.")}
        <div className="grid grid-cols-2 gap-3">
          {field("perCredit", "Money for a credit", "Empty: credits are not paid out.")}
          {field("currency", "Currency", "Such as EUR.")}
        </div>
        {typeof parsed === "string" ? (
          <p role="alert" className="text-xs text-bad">
            {parsed}
          </p>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}
