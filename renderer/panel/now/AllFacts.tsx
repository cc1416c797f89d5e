import type { ReactNode } from "react";
import type { FactSources, FactsView } from "../../../app/contract/snapshot.ts";
import { factLabel, factNames, sayFact } from "../../../app/facts/facts.ts";
import { cx } from "../../ui/cx.ts";
import { RelativeTime } from "../../ui/RelativeTime.tsx";

type Props = {
  readonly facts: FactsView;
  readonly sources: FactSources;
};

/** Every fact with its age. The diagnostics name the sources, and how far the process with the model is confined. */
export function AllFacts({ facts, sources }: Props): ReactNode {
  return (
    <dl className="grid gap-2.5">
      {factNames.map((name) => (
        <div key={name} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3">
          <dt>{factLabel(name)}</dt>
          <dd
            className={cx(
              "max-w-56 text-right break-words",
              facts[name].known ? "font-medium" : "text-faint italic",
            )}
          >
            {sayFact(name, facts[name])}
          </dd>
          <dd className="col-span-2 text-xs text-muted">
            <Age source={sources[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Age({ source }: { readonly source: FactSources[keyof FactSources] }): ReactNode {
  if (source === undefined) return "not checked yet";
  if (source.at === null) return "not checked";
  return (
    <>
      checked <RelativeTime at={source.at} />
    </>
  );
}
