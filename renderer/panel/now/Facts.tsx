import { type ReactNode, useState } from "react";
import type { FactSources, FactsView } from "../../../app/contract/snapshot.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { cx } from "../../ui/cx.ts";
import { useAct } from "../state/actions.ts";
import { AllFacts } from "./AllFacts.tsx";
import { factRows } from "./fact-rows.ts";

type Props = {
  readonly facts: FactsView;
  readonly sources: FactSources;
  readonly rules: Rules;
  readonly initialAll?: boolean;
};

/** Shows the facts that usually decide. On request it shows all facts, with their age. */
export function Facts({ facts, sources, rules, initialAll = false }: Props): ReactNode {
  const act = useAct();
  const [all, setAll] = useState(initialAll);
  return (
    <Card
      title="This computer"
      aside={
        <Button
          size="sm"
          className="-mr-2.5"
          look="quiet"
          aria-expanded={all}
          onClick={() => {
            setAll(!all);
            if (!all) act("refreshFacts", null);
          }}
        >
          {all ? "Show less" : "Show all"}
        </Button>
      }
    >
      {all ? (
        <AllFacts facts={facts} sources={sources} />
      ) : (
        <>
          <p className="mb-2 text-xs text-muted">How it is now, and what donating needs.</p>
          <dl className="grid gap-1.5">
            {factRows(facts, rules).map((row) => (
              <div
                key={row.label}
                className="grid grid-cols-[7rem_1fr_auto] items-baseline gap-3 max-[20rem]:grid-cols-1 max-[20rem]:gap-0"
              >
                <dt className="text-muted">{row.label}</dt>
                <dd className={cx("min-w-0", row.known ? "font-medium" : "text-faint italic")}>
                  {row.value}
                </dd>
                <dd className="text-right text-xs text-muted max-[20rem]:text-left">{row.rule}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  );
}
