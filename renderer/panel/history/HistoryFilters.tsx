import { type ReactNode, useEffect, useId, useState } from "react";
import type { HistoryFilter } from "../../../app/contract/past-jobs.ts";
import { attemptStatuses } from "../../../app/jobs/states.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { inputClass } from "../../ui/controls/Field.tsx";
import { type Option, SelectBox } from "../../ui/controls/Select.tsx";
import { attemptWords } from "../../ui/status-words.ts";
import { DayStart } from "../earnings/DayStart.tsx";
import { daysOf, fromDay, untilDay, withField } from "./filter-days.ts";

type Props = {
  readonly filter: HistoryFilter;
  readonly onFilter: (filter: HistoryFilter) => void;
};

const kinds: readonly Option[] = [
  { value: "", label: "All kinds" },
  { value: "chat", label: "Chat" },
  { value: "completion", label: "Completion" },
  { value: "embedding", label: "Embedding" },
  { value: "tokens", label: "Tokens" },
];

/** The search for jobs. Each choice applies at once. */
export function HistoryFilters({ filter, onFilter }: Props): ReactNode {
  const { first, last } = daysOf(filter);
  const isSet = Object.keys(filter).length > 0;
  return (
    <div
      role="search"
      aria-label="Jobs"
      className="grid grid-cols-2 gap-2 border-b border-line p-3 max-[20rem]:grid-cols-1"
    >
      <ModelSearch filter={filter} onFilter={onFilter} />
      <SelectBox
        aria-label="Kind"
        value={filter.kind ?? ""}
        options={kinds}
        onChange={(kind) => onFilter(withField(filter, "kind", kind === "" ? undefined : kind))}
      />
      <SelectBox
        aria-label="Outcome"
        value={filter.status ?? ""}
        options={[
          { value: "", label: "All outcomes" },
          ...attemptStatuses.map((value) => ({ value, label: attemptWords[value].words })),
        ]}
        onChange={(chosen) =>
          onFilter(
            withField(
              filter,
              "status",
              attemptStatuses.find((status) => status === chosen),
            ),
          )
        }
      />
      <DayInput label="First day" value={first} onDay={(day) => onFilter(fromDay(filter, day))} />
      <DayInput label="Last day" value={last} onDay={(day) => onFilter(untilDay(filter, day))} />
      <p className="self-center text-xs text-muted">
        <DayStart />
      </p>
      <Button
        size="sm"
        look="quiet"
        className="justify-self-end"
        disabled={!isSet}
        onClick={() => onFilter({})}
      >
        Show all jobs
      </Button>
    </div>
  );
}

/** Waits until somebody has typed. */
const typingMs = 300;

function ModelSearch({ filter, onFilter }: Props): ReactNode {
  const [text, setText] = useState(filter.model ?? "");
  const [last, setLast] = useState(filter.model);
  // Another control has changed the filter.
  if (filter.model !== last) {
    setLast(filter.model);
    setText(filter.model ?? "");
  }
  const wanted = text.trim() === "" ? undefined : text.trim();
  useEffect(() => {
    if (wanted === filter.model) return;
    const timer = setTimeout(() => {
      setLast(wanted);
      onFilter(withField(filter, "model", wanted));
    }, typingMs);
    return () => clearTimeout(timer);
  }, [wanted, filter, onFilter]);
  return (
    <input
      type="search"
      aria-label="Model"
      placeholder="Search for a model"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
      className={`${inputClass(false)} col-span-full`}
    />
  );
}

type DayProps = { readonly label: string; readonly value: string; readonly onDay: (day: string) => void };

function DayInput({ label, value, onDay }: DayProps): ReactNode {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-0.5">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={value}
        onChange={(event) => onDay(event.target.value)}
        className={inputClass(false)}
      />
    </div>
  );
}
