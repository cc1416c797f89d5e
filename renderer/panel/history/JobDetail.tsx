import type { ReactNode } from "react";
import { explainPay } from "../../../app/contract/sentences/pay-words.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { energyWords } from "../../../app/format/energy.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration, formatFull } from "../../../app/format/time.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { attemptWords } from "../../ui/status-words.ts";
import { energySourceWords } from "../../ui/usage/energy-source.ts";

/** All that is known about the chosen job. Keeps its height, so that the page does not move. */
export function JobDetail({ row }: { readonly row: HistoryRow | null }): ReactNode {
  return (
    <div
      data-testid="job-detail"
      aria-live="polite"
      className="grid min-h-40 content-start gap-1 border-t border-line bg-sunken px-4 py-2.5"
    >
      {row === null ? (
        <p className="text-muted">Choose a job to see how its pay was calculated.</p>
      ) : (
        <Facts row={row} />
      )}
    </div>
  );
}

function Facts({ row }: { readonly row: HistoryRow }): ReactNode {
  const { startedAt, endedAt, promptTokens, completionTokens, earnedMicro, energy = null } = row;
  const explanation = explainPay(row);
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        <span>{formatFull(startedAt)}</span>
        {endedAt === null ? null : <span>{formatDuration(endedAt - startedAt)}</span>}
      </p>
      <p className="font-medium wrap-anywhere">
        {row.modelId}, {kindWords(row.kind)}: {attemptWords[row.status].words}
      </p>
      {promptTokens + completionTokens === 0 ? null : (
        <p>
          Tokens: {formatCount(promptTokens)} read, {formatCount(completionTokens)} written
        </p>
      )}
      {energy === null ? null : (
        <p>
          Energy: {energyWords(energy.microWh / 1e9)}, {energySourceWords[energy.source]}
        </p>
      )}
      {explanation === "" ? null : <p className="wrap-anywhere">{explanation}</p>}
      {earnedMicro === "0" ? null : (
        <p>
          <strong>{formatExactCredits(earnedMicro)} credits</strong>
        </p>
      )}
    </>
  );
}
