import { useConvex, useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useScope, useSession } from "../data/session-context.ts";
import { hrefOf, useFilter, useRoute } from "../shell/route.ts";
import { filterOf } from "./job-words.ts";
import { JobPage } from "./JobPage.tsx";
import { JobsView } from "./JobsView.tsx";
import { useJobChanges } from "./use-job-changes.ts";

const pageSize = 25;

export function JobsPage(): ReactNode {
  const { id } = useRoute();
  return id === null ? <JobList /> : <JobPage key={id} jobId={id} />;
}

function JobList(): ReactNode {
  const session = useSession();
  const convex = useConvex();
  const [status, setStatus] = useFilter("status");
  const model = useFilter("model");
  const keyId = useFilter("key");
  const deviceId = useFilter("device");
  const batchId = useFilter("batch");
  const from = useFilter("from");
  const to = useFilter("to");
  const filter = filterOf(status);
  const dead = filter === "dead";
  const wanted = {
    session,
    ...(filter === null || dead ? {} : { status: filter }),
    ...named("model", model[0]),
    ...named("keyId", keyId[0]),
    ...named("deviceId", deviceId[0]),
    ...named("batchId", batchId[0]),
    ...momentOf("from", from[0]),
    ...momentOf("to", to[0]),
  };
  const listed = usePaginatedQuery(api.console.jobs.list, dead ? "skip" : wanted, {
    initialNumItems: pageSize,
  });
  const letters = usePaginatedQuery(api.console.jobs.deadLetters, dead ? { session } : "skip", {
    initialNumItems: pageSize,
  });
  const { results, status: loading, loadMore } = dead ? letters : listed;
  const choices = useChoices(deviceId[0] !== "");
  const changes = useJobChanges();
  const find = async (text: string): Promise<boolean> => {
    const jobId = await convex.query(api.console.jobs.find, { session, text });
    if (jobId !== null) window.location.hash = hrefOf("jobs", jobId);
    return jobId !== null;
  };
  // A device's attempts at one job may be on two pages.
  const jobs = [...new Map(results.map((job) => [job.jobId, job])).values()];
  return (
    <JobsView
      jobs={loading === "LoadingFirstPage" ? undefined : jobs}
      filters={{
        status: filter,
        onStatus: (value) => setStatus(value ?? ""),
        model,
        keyId,
        deviceId,
        batchId,
        from,
        to,
        ...choices,
        onFind: find,
      }}
      onBulk={changes?.bulk ?? null}
      deadLetters={
        changes === null
          ? null
          : { onRetry: changes.retry, onRetryAll: changes.retryAll, onDiscard: changes.discard }
      }
      onMore={loading === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={loading === "LoadingMore"}
    />
  );
}

/** As many as one page has. The address, or a device's page, leads to the jobs of others. */
const shownDevices = { numItems: 50, cursor: null };

/** The models, keys and devices that the member may filter by. Devices change often, so they are read once they are needed. */
function useChoices(needsDevices: boolean) {
  const session = useSession();
  const [opened, setOpened] = useState(needsDevices);
  const seesModels = useScope("models.read") !== null;
  const seesKeys = useScope("keys.read") !== null;
  const seesDevices = useScope("devices.read") === "all";
  const models = useQuery(api.console.models.list, seesModels ? { session } : "skip");
  const keys = useQuery(api.console.keys.names, seesKeys ? { session } : "skip");
  const devices = useQuery(
    api.console.devices.list,
    seesDevices && opened ? { session, order: "name", paginationOpts: shownDevices } : "skip",
  );
  return {
    models: seesModels ? (models ?? []).map(({ modelId }) => ({ value: modelId, label: modelId })) : null,
    keys: seesKeys ? (keys ?? []).map((key) => ({ value: key.keyId, label: key.name })) : null,
    devices: seesDevices
      ? (devices?.page ?? []).map((each) => ({ value: each.deviceId, label: each.name }))
      : null,
    onDevices: () => setOpened(true),
  };
}

function named<Name extends string>(name: Name, value: string): { readonly [Key in Name]?: string } {
  return (value === "" ? {} : { [name]: value }) as { readonly [Key in Name]?: string };
}

function momentOf<Name extends string>(name: Name, value: string): { readonly [Key in Name]?: number } {
  const at = new Date(value).getTime();
  return (Number.isNaN(at) ? {} : { [name]: at }) as { readonly [Key in Name]?: number };
}
