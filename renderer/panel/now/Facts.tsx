import type { ReactNode } from "react";
import type { FactsView } from "../../../app/contract/snapshot.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { cx } from "../../ui/cx.ts";
import { factRows } from "./fact-rows.ts";

export function Facts({ facts, rules }: { readonly facts: FactsView; readonly rules: Rules }): ReactNode {
  return (
    <Card title="What Gleaner looks at" aside={<span className="text-xs text-muted">your rule</span>}>
      <dl className="grid gap-1.5">
        {factRows(facts, rules).map((row) => (
          <div key={row.label} className="grid grid-cols-[7rem_1fr_auto] items-baseline gap-3">
            <dt className="text-muted">{row.label}</dt>
            <dd className={cx("truncate", row.value === "unknown" ? "text-faint italic" : "font-medium")}>
              {row.value}
            </dd>
            <dd className="text-xs text-muted">{row.rule}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
