import type { ReactNode } from "react";
import type { FactsView } from "../../../app/contract/snapshot.ts";
import { formatMebibytes, formatRoundMebibytes } from "../../../app/format/quantity.ts";
import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { type ModelRow, usedBytes } from "./model-rows.ts";

type Props = {
  readonly rows: readonly ModelRow[];
  readonly rules: Rules;
  readonly free: FactsView["diskFreeMb"];
  readonly onRule: (name: RuleName) => void;
};

const mib = 2 ** 20;

/** The disk space of downloaded models, and how much they may take. A model that came with the program does not count. */
export function DiskUse({ rows, rules, free, onRule }: Props): ReactNode {
  const usedMb = usedBytes(rows) / mib;
  const { diskQuotaMb, minFreeDiskMb } = rules;
  return (
    <Card title="Disk space">
      <p className="mb-1.5">
        Downloaded models take {formatMebibytes(usedMb)} of {formatRoundMebibytes(diskQuotaMb)}.
      </p>
      <ProgressBar
        label="Disk space of downloaded models"
        share={diskQuotaMb === 0 ? 1 : Math.min(1, usedMb / diskQuotaMb)}
      />
      <div className="mt-1.5 text-xs text-muted">
        {free.known ? <p>{formatMebibytes(free.value)} of the disk are free.</p> : null}
        <p>Gleaner leaves {formatRoundMebibytes(minFreeDiskMb)} free for everything else.</p>
      </div>
      <div className="mt-3">
        <Button size="sm" onClick={() => onRule("diskQuotaMb")}>
          Setting “{ruleOf("diskQuotaMb").title}”
        </Button>
      </div>
    </Card>
  );
}
