import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { ArchivedNote } from "../archives/ArchivedNote.tsx";
import { useScope, useSession } from "../data/session-context.ts";
import { type ApiServer, hasOwnCertificate } from "../keys/snippets.ts";
import { useFilter, useRoute } from "../shell/route.ts";
import { batchFilterOf } from "./batch-words.ts";
import { BatchesView } from "./BatchesView.tsx";
import { BatchPage } from "./BatchPage.tsx";

const pageSize = 25;

export function BatchesPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const { id } = useRoute();
  const joined = useQuery(api.console.codes.joinAddress, { session: useSession() });
  const server = { apiBase, ownCertificate: hasOwnCertificate(apiBase, joined?.pin ?? null) };
  return id === null ? <BatchList server={server} /> : <BatchPage key={id} batchId={id} server={server} />;
}

function BatchList({ server }: { readonly server: ApiServer }): ReactNode {
  const session = useSession();
  const [named, setStatus] = useFilter("status");
  const [keyId, setKey] = useFilter("key");
  const status = batchFilterOf(named);
  const wanted = {
    session,
    ...(status === null ? {} : { status }),
    ...(keyId === "" ? {} : { keyId }),
  };
  const {
    results,
    status: loading,
    loadMore,
  } = usePaginatedQuery(api.console.work.batches.list, wanted, {
    initialNumItems: pageSize,
  });
  const seesKeys = useScope("keys.read") !== null;
  const keys = useQuery(api.console.keys.names, seesKeys ? { session } : "skip");
  const models = useQuery(api.console.models.list, { session });
  return (
    <BatchesView
      batches={loading === "LoadingFirstPage" ? undefined : results}
      status={status}
      onStatus={(value) => setStatus(value ?? "")}
      keyId={keyId}
      onKey={setKey}
      keys={seesKeys ? (keys ?? []).map((key) => ({ value: key.keyId, label: key.name })) : null}
      server={server}
      model={models?.find(({ retired }) => !retired)?.modelId ?? "gleaner-demo"}
      onMore={loading === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={loading === "LoadingMore"}
      archived={<ArchivedNote kind="batches" />}
    />
  );
}
