import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { inputClass } from "../../ui/controls/Field.tsx";
import { FilterPills } from "../../ui/controls/FilterPills.tsx";
import { type Option, SelectBox } from "../../ui/controls/Select.tsx";
import { hrefOf } from "../shell/route.ts";
import { type JobFilter, jobFilters } from "./job-words.ts";

/** A filter in the address, and how to change it. */
export type Filter = readonly [string, (value: string) => void];

export type JobFilterState = {
  readonly status: JobFilter;
  readonly onStatus: (filter: JobFilter) => void;
  readonly model: Filter;
  readonly keyId: Filter;
  readonly deviceId: Filter;
  /** A link from a batch's page sets it. */
  readonly batchId: Filter;
  /** Local times, as `datetime-local` fields have them. */
  readonly from: Filter;
  readonly to: Filter;
  /** The choices; null for those who do not see them. */
  readonly models: readonly Option[] | null;
  readonly keys: readonly Option[] | null;
  readonly devices: readonly Option[] | null;
  /** Called before the devices are needed. */
  readonly onDevices: () => void;
  /** Opens the job with this id or external id. Answers whether there is one. */
  readonly onFind: (text: string) => Promise<boolean>;
};

export function JobFilters(state: JobFilterState): ReactNode {
  const { status, onStatus, model, keyId, deviceId, batchId, from, to, models, keys, devices } = state;
  const isDead = status === "dead";
  return (
    <div className="grid gap-2">
      <Search onFind={state.onFind} />
      <FilterPills label="Filter by status" options={jobFilters} value={status} onChange={onStatus} />
      {isDead ? null : (
        <div className="flex flex-wrap gap-2">
          {models === null ? null : <Choice label="Model" all="All models" filter={model} options={models} />}
          {keys === null ? null : <Choice label="API key" all="All keys" filter={keyId} options={keys} />}
          {devices === null ? null : (
            <Choice
              label="Device"
              all="All devices"
              filter={deviceId}
              options={devices}
              onFocus={state.onDevices}
            />
          )}
          {batchId[0] === "" ? null : <OfBatch filter={batchId} />}
          <Moment label="From" filter={from} />
          <Moment label="To" filter={to} />
        </div>
      )}
    </div>
  );
}

function OfBatch({ filter: [batchId, set] }: { readonly filter: Filter }): ReactNode {
  return (
    <div className="flex items-center gap-2">
      <a href={hrefOf("batches", batchId)} className="font-medium text-accent hover:underline">
        Of one batch
      </a>
      <Button size="sm" onClick={() => set("")}>
        All batches
      </Button>
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly all: string;
  readonly filter: Filter;
  readonly options: readonly Option[];
  readonly onFocus?: () => void;
};

/** A choice of one among many, or of all. */
export function Choice({ label, all, filter: [value, set], options, onFocus }: ChoiceProps): ReactNode {
  const known = value === "" || options.some((option) => option.value === value);
  return (
    <div className="min-w-36 flex-1">
      <SelectBox
        aria-label={label}
        value={value}
        options={[{ value: "", label: all }, ...options, ...(known ? [] : [{ value, label: value }])]}
        onChange={set}
        onFocus={onFocus}
      />
    </div>
  );
}

function Moment({
  label,
  filter: [value, set],
}: {
  readonly label: string;
  readonly filter: Filter;
}): ReactNode {
  const id = useId();
  return (
    <div className="flex w-60 items-center gap-2 max-sm:w-full">
      <label htmlFor={id} className="text-xs text-muted max-sm:w-10">
        {label}
      </label>
      <input
        id={id}
        type="datetime-local"
        value={value}
        onChange={(event) => set(event.target.value)}
        className={inputClass(false)}
      />
    </div>
  );
}

function Search({ onFind }: Pick<JobFilterState, "onFind">): ReactNode {
  const [text, setText] = useState("");
  const [missing, setMissing] = useState<string | null>(null);
  const id = useId();
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    const sought = text.trim();
    if (sought === "") return;
    setMissing((await onFind(sought)) ? null : sought);
  };
  return (
    <form role="search" onSubmit={(event) => void submit(event)} className="grid max-w-xl gap-1">
      <div className="flex gap-2">
        <input
          type="search"
          aria-label="Find a job by its id or external id"
          aria-describedby={`${id}-note`}
          placeholder="Job id, or external id (idempotency key)"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={inputClass(missing !== null)}
        />
        <Button type="submit">Find</Button>
      </div>
      <p id={`${id}-note`} role="status" className={missing === null ? "sr-only" : "text-xs text-bad"}>
        {missing === null ? "The whole id is needed." : `No job has exactly this id: ${missing}`}
      </p>
    </form>
  );
}
