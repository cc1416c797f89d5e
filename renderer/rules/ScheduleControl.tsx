import { type ReactNode, useState } from "react";
import { dayNames } from "../../app/format/time.ts";
import type { ScheduleWindow } from "../../app/policy/rules/schedule.ts";
import { Button } from "../ui/controls/Button.tsx";
import { inputClass } from "../ui/controls/Field.tsx";
import { SelectBox } from "../ui/controls/Select.tsx";
import { cx } from "../ui/cx.ts";
import { HoursByCurve } from "./HoursByCurve.tsx";
import { minuteOf, nights, timeOf, withDay } from "./schedule-times.ts";

type Schedule = readonly ScheduleWindow[] | null;

type Props = {
  readonly label: string;
  readonly value: Schedule;
  readonly onChange: (value: Schedule) => void;
};

const kinds = [
  { value: "always", label: "At any hour" },
  { value: "some", label: "Only in these hours" },
];

/** A schedule: always, or certain hours on certain days. */
export function ScheduleControl({ label, value, onChange }: Props): ReactNode {
  const [choosing, setChoosing] = useState(false);
  const windows = value ?? [];
  const replace = (at: number, next: ScheduleWindow): void =>
    onChange(windows.map((each, index) => (index === at ? next : each)));
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2">
      <SelectBox
        aria-label={label}
        value={value === null ? "always" : "some"}
        options={kinds}
        onChange={(chosen) => onChange(chosen === "always" ? null : [nights])}
      />
      {value === null ? null : (
        <>
          {windows.map((window, at) => (
            <WindowRow
              // Rows have neither identity nor state, so the index can be the key.
              key={at}
              label={`${label}, line ${String(at + 1)}`}
              window={window}
              onChange={(next) => replace(at, next)}
              onRemove={() => onChange(windows.filter((_, index) => index !== at))}
            />
          ))}
          {windows.length === 0 ? (
            <p className="text-xs text-muted">No hours are set, so it never donates.</p>
          ) : null}
          {choosing ? (
            <HoursByCurve onChoose={onChange} onClose={() => setChoosing(false)} />
          ) : (
            <div className="flex flex-wrap gap-2">
              <Button size="sm" onClick={() => onChange([...windows, nights])}>
                Add hours
              </Button>
              <Button size="sm" onClick={() => setChoosing(true)}>
                Choose by price or carbon
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

type RowProps = {
  readonly label: string;
  readonly window: ScheduleWindow;
  readonly onChange: (window: ScheduleWindow) => void;
  readonly onRemove: () => void;
};

function WindowRow({ label, window, onChange, onRemove }: RowProps): ReactNode {
  const { days, fromMinute, toMinute } = window;
  return (
    <fieldset aria-label={label} className="grid min-w-0 grid-cols-1 gap-2 rounded-md border border-line p-2">
      <div className="flex flex-wrap gap-1">
        {dayNames.map((name, day) => (
          <label
            key={name}
            className={cx(
              "flex h-6 items-center rounded-sm border px-1.5 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent",
              days.includes(day)
                ? "border-accent bg-accent-tint text-accent"
                : "border-edge text-muted hover:bg-sunken",
            )}
          >
            <input
              type="checkbox"
              checked={days.includes(day)}
              onChange={(event) => onChange(withDay(window, day, event.target.checked))}
              className="sr-only"
            />
            {name}
          </label>
        ))}
        <Button size="sm" look="quiet" className="h-6" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <div className="flex items-center gap-2">
        <TimeInput
          label="from"
          minute={fromMinute}
          onChange={(minute) => onChange({ ...window, fromMinute: minute })}
        />
        <span className="text-muted">to</span>
        <TimeInput
          label="to"
          minute={toMinute}
          onChange={(minute) => onChange({ ...window, toMinute: minute })}
        />
      </div>
    </fieldset>
  );
}

type TimeProps = {
  readonly label: string;
  readonly minute: number;
  readonly onChange: (minute: number) => void;
};

function TimeInput({ label, minute, onChange }: TimeProps): ReactNode {
  const invalid = Number.isNaN(minute);
  return (
    <input
      type="time"
      aria-label={label}
      aria-invalid={invalid}
      value={invalid ? "" : timeOf(minute)}
      onChange={(event) => onChange(minuteOf(event.target.value))}
      className={cx(inputClass(invalid), "px-1.5")}
    />
  );
}
