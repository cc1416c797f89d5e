import { type ReactNode, useId } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { inputClass } from "../../ui/controls/Field.tsx";
import { type Option, SelectBox } from "../../ui/controls/Select.tsx";
import { actionOptions, type FilterTexts, isFiltered } from "./audit-filter.ts";

type Props = {
  readonly filter: FilterTexts;
  readonly people: readonly Option[];
  /** The search for a member; null if all members are offered. */
  readonly search: string | null;
  /** The name of the subject that is chosen. */
  readonly subject: string;
  readonly onFilter: (changes: Partial<FilterTexts>) => void;
  readonly onSearch: (text: string) => void;
  readonly onClear: () => void;
};

/** The filters above the trail. They are in the address, so a link shows the same rows. */
export function AuditFilters(props: Props): ReactNode {
  const { filter, people, search, subject, onFilter, onSearch, onClear } = props;
  return (
    <div
      role="search"
      aria-label="Filter the audit trail"
      className="grid gap-2 border-b border-line px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        {search === null ? null : (
          <div className="w-44 max-sm:w-full">
            <input
              type="search"
              aria-label="Search for a member"
              placeholder="Search for a member"
              maxLength={120}
              value={search}
              onChange={({ target }) => onSearch(target.value)}
              className={inputClass(false)}
            />
          </div>
        )}
        <div className="w-44 max-sm:w-full">
          <SelectBox
            aria-label="Person"
            value={filter.who}
            options={people}
            onChange={(who) => onFilter({ who })}
          />
        </div>
        <div className="w-60 max-sm:w-full">
          <SelectBox
            aria-label="Action"
            value={filter.action}
            options={actionOptions}
            onChange={(action) => onFilter({ action })}
          />
        </div>
        <Day label="From" value={filter.from} onChange={(from) => onFilter({ from })} />
        <Day label="To" value={filter.to} onChange={(to) => onFilter({ to })} />
        {isFiltered(filter) ? (
          <Button look="quiet" className="max-sm:-ml-3" onClick={onClear}>
            Clear filters
          </Button>
        ) : null}
      </div>
      {filter.subject === "" ? null : (
        <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
          <span className="wrap-anywhere">
            Only entries about <span className="font-medium text-ink">{subject}</span>
          </span>
          <Button size="sm" look="quiet" onClick={() => onFilter({ subject: "" })}>
            About anything
          </Button>
        </p>
      )}
    </div>
  );
}

type DayProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
};

function Day({ label, value, onChange }: DayProps): ReactNode {
  const id = useId();
  return (
    <div className="flex items-center gap-2 max-sm:w-full">
      <label htmlFor={id} className="w-8 text-xs text-muted sm:w-auto">
        {label}
      </label>
      <div className="w-36 max-sm:grow">
        <input
          id={id}
          type="date"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={inputClass(false)}
        />
      </div>
    </div>
  );
}
