import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import { laneStateWords } from "./lane-words.ts";
import { QueueView } from "./QueueView.tsx";

const latest = 10;

export function QueuePage(): ReactNode {
  const session = useSession();
  const stats = useQuery(api.adminQueue.stats, { session });
  const batches = usePaginatedQuery(api.adminQueue.batches, { session }, { initialNumItems: latest });
  const setState = useAct(api.adminQueue.setLaneState);
  return (
    <QueueView
      stats={stats}
      batches={batches.results}
      onState={({ laneId }, state) => void setState({ laneId, state }, laneStateWords[state].done)}
    />
  );
}
