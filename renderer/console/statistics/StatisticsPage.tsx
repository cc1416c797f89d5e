import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import { api } from "../../../convex/_generated/api.js";
import { useNow } from "../../ui/clock.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { MetricsToken } from "./MetricsToken.tsx";
import { StatisticsView } from "./StatisticsView.tsx";
import type { By, StatisticsRange } from "./subject-words.ts";

export function StatisticsPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const now = useNow();
  const [by, setBy] = useState<By>("model");
  const [range, setRange] = useState<StatisticsRange>("day");
  // Only each five minutes another one, so that the query stays the same.
  const until = bucketOf(now, spans.short) + spans.short;
  const report = useQuery(api.console.statistics.report, { session, by, range, until });
  const seesToken = useScope("metrics.read") !== null;
  const mayChange = useScope("metrics.change") !== null;
  const token = useQuery(api.console.statistics.metricsToken, seesToken ? { session } : "skip");
  const set = useAct(api.console.statistics.setMetricsToken);
  const remove = useAct(api.console.statistics.removeMetricsToken);
  return (
    <StatisticsView
      report={report}
      by={by}
      range={range}
      until={until}
      onBy={setBy}
      onRange={setRange}
      metrics={
        seesToken ? (
          <MetricsToken
            token={token}
            apiBase={apiBase}
            changes={
              mayChange
                ? {
                    onCreate: async () => {
                      const secret = makeSecret("gm_");
                      return (await set({ tokenHash: sha256(secret) })) ? secret : null;
                    },
                    onRemove: () => void remove({}, "The token was removed."),
                  }
                : null
            }
          />
        ) : null
      }
    />
  );
}
