import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { ViewPart } from "../../../app/devices/views.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { inputClass } from "../../ui/controls/Field.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { FleetCounts } from "../data/rows.ts";
import {
  chipsOf,
  concernOptions,
  facetOptions,
  type Filters,
  fleetWords,
  isFiltered,
  noFilters,
  sortOptions,
  stateOptions,
} from "./fleet-filters.ts";
import { ColumnMenu } from "./table/ColumnMenu.tsx";

type Props = {
  readonly filters: Filters;
  readonly counts: FleetCounts | undefined;
  readonly modelIds: readonly string[];
  readonly onFilters: (filters: Filters) => void;
  /** The menu of saved views. */
  readonly views?: ReactNode;
};

const nothingCounted: FleetCounts = {
  states: { donating: 0, standby: 0, paused: 0, outdated: 0, offline: 0, pending: 0, retired: 0 },
  facets: [],
  at: null,
};

/** The search and the filters above the list of devices. */
export function FleetFilters({
  filters,
  counts = nothingCounted,
  modelIds,
  onFilters,
  views,
}: Props): ReactNode {
  const searchBox = useRef<HTMLInputElement>(null);
  const set = (name: ViewPart, value: string): void => onFilters({ ...filters, [name]: value });
  const models = [...new Set([...modelIds, filters.model])].filter((modelId) => modelId !== "");
  const chips = chipsOf(filters);
  const concerns = concernOptions(counts, filters.concern);
  const box = (name: ViewPart, label: string, options: Parameters<typeof SelectBox>[0]["options"]) => (
    <div className="w-40 max-sm:w-[calc(50%-0.25rem)]">
      <SelectBox
        aria-label={label}
        value={filters[name]}
        options={options}
        onChange={(value) => set(name, value)}
      />
    </div>
  );
  return (
    <div className="grid gap-2 border-b border-line px-4 py-3">
      <div role="search" className="flex flex-wrap gap-2">
        <SearchBox box={searchBox} value={filters.q} onSearch={(q) => set("q", q)} />
        {box("state", "State", stateOptions(counts))}
        {box("group", "Group", facetOptions(counts, "group", "Any group", filters.group))}
        {box("platform", "System", facetOptions(counts, "platform", "Any system", filters.platform))}
        {box("version", "Version", facetOptions(counts, "version", "Any version", filters.version))}
        {models.length === 0
          ? null
          : box("model", "Model", [
              { value: "", label: "Any model" },
              ...models.map((modelId) => ({ value: modelId, label: modelId })),
            ])}
        {concerns.length === 0 ? null : box("concern", "Concern", concerns)}
        {filters.q.trim() === "" ? box("sort", "Order", sortOptions) : null}
        {isFiltered(filters) ? (
          <Button
            look="quiet"
            onClick={() => {
              searchBox.current?.focus();
              onFilters({ ...noFilters, sort: filters.sort, columns: filters.columns });
            }}
          >
            Clear filters
          </Button>
        ) : null}
        <ColumnMenu columns={filters.columns} onColumns={(columns) => set("columns", columns)} />
        {views}
      </div>
      {chips.length === 0 ? null : (
        <ul aria-label="More filters" className="flex flex-wrap gap-1.5">
          {chips.map(({ part, words }) => (
            <li key={part}>
              <Button
                size="sm"
                onClick={({ currentTarget }) => {
                  // The button goes with its filter.
                  (neighborOf(currentTarget) ?? searchBox.current)?.focus();
                  set(part, "");
                }}
              >
                <span className="sr-only">Remove the filter </span>
                {words}
                <span aria-hidden>×</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="min-h-4 text-xs text-muted">
        {counts === nothingCounted ? null : (
          <>
            {fleetWords(counts)}
            {counts.at === null ? null : (
              <>
                , counted <RelativeTime at={counts.at} />
              </>
            )}
          </>
        )}
      </p>
    </div>
  );
}

/** The button of the next or the previous filter. */
function neighborOf(button: HTMLButtonElement): HTMLButtonElement | null {
  const item = button.closest("li");
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  return neighbor?.querySelector("button") ?? null;
}

const pauseMs = 250;

type SearchProps = {
  readonly box: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly onSearch: (text: string) => void;
};

/** Searches a moment after the last letter. It follows the address when that changes for another reason. */
function SearchBox({ box, value, onSearch }: SearchProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      onSearch(typed);
      setTyped(null);
    }, pauseMs);
    return () => clearTimeout(timer);
    // `onSearch` is another function each time; only letters start the wait again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [typed]);
  return (
    <div className="w-56 max-sm:w-full">
      <input
        ref={box}
        type="search"
        aria-label="Search devices by name"
        placeholder="Search by name"
        maxLength={120}
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
        className={inputClass(false)}
      />
    </div>
  );
}
