import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { useScope, useSession } from "../data/session-context.ts";
import { hrefOf, showInstead, useRoute } from "../shell/route.ts";
import { BulkDevices, type Selection } from "./bulk/BulkDevices.tsx";
import { type Filters, filtersIn, isFiltered, listArgsOf, newestVersion } from "./fleet-filters.ts";
import { FleetFilters } from "./FleetFilters.tsx";
import { columnsIn } from "./table/column-keys.ts";
import type { DeviceActions } from "./table/DeviceButtons.tsx";
import { DevicesTable } from "./table/DevicesTable.tsx";
import { useDeviceLines } from "./useDeviceLines.ts";
import { SavedViews } from "./views/SavedViews.tsx";

const pageSize = 25;

const nothing: Selection = new Set();

type Props = { readonly actions: DeviceActions | undefined };

/** The organization's devices. Search, filters and order are in the address. */
export function FleetList({ actions }: Props): ReactNode {
  const session = useSession();
  const seesModels = useScope("models.read") !== null;
  const [filters, setFilters] = useFilters();
  const counts = useQuery(api.console.devices.counts, { session });
  const models = useQuery(api.console.models.list, seesModels ? { session } : "skip");
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.devices.list,
    { session, ...listArgsOf(filters) },
    { initialNumItems: pageSize },
  );
  const isShort = status === "CanLoadMore" && results.length < pageSize;
  useEffect(() => {
    // A page ends early if few of the rows that it read fit the filters.
    if (isShort) loadMore(pageSize);
  }, [isShort, results.length, loadMore]);
  const isLoading = status === "LoadingFirstPage" || (results.length === 0 && status !== "Exhausted");
  // A device that changed its place is on two pages until both are read again.
  const unique = [...new Map(results.map((row) => [row.deviceId, row])).values()];
  // A selection is one of these filters. Other filters, from wherever they come, begin with none.
  const shown = JSON.stringify(listArgsOf(filters));
  const [chosen, setChosen] = useState<{ readonly of: string; readonly selection: Selection }>();
  const selection = chosen?.of === shown ? chosen.selection : nothing;
  const setSelection = (next: Selection): void => setChosen({ of: shown, selection: next });
  const select = (deviceId: string, selected: boolean): void => {
    const next = new Set(selection === "all" ? unique.map((row) => row.deviceId as string) : selection);
    if (selected) next.add(deviceId);
    else next.delete(deviceId);
    setSelection(next);
  };
  const lines = useDeviceLines(isLoading ? undefined : unique);
  return (
    <>
      <FleetFilters
        filters={filters}
        counts={counts}
        modelIds={(models ?? []).map(({ modelId }) => modelId)}
        onFilters={setFilters}
        views={<SavedViews filters={filters} onFilters={setFilters} />}
      />
      {actions?.change === null || actions === undefined ? null : (
        <BulkDevices
          selection={selection}
          filters={filters}
          newest={newestVersion(counts)}
          onSelect={setSelection}
        />
      )}
      <DevicesTable
        devices={lines}
        columns={columnsIn(filters.columns)}
        mayEnroll={useScope("enrollment.change") !== null}
        {...(actions === undefined ? {} : { actions })}
        {...(actions?.change === null || actions === undefined
          ? {}
          : {
              selecting: {
                isSelected: (deviceId: string) => selection === "all" || selection.has(deviceId),
                onSelect: select,
              },
            })}
        empty={
          isFiltered(filters) ? (
            <Empty title="No device fits">No device has this name and fits these filters.</Empty>
          ) : undefined
        }
      />
      <LoadMore
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loading={status === "LoadingMore"}
      />
    </>
  );
}

function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const { filters: query } = useRoute();
  return [filtersIn(query), (next) => showInstead(hrefOf("devices", undefined, next))];
}
