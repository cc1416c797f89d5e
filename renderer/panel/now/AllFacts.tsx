import type { ReactNode } from "react";
import { type Confinement, describeConfinement } from "../../../app/contract/confinement.ts";
import type { FactSources, FactsView } from "../../../app/contract/snapshot.ts";
import { factLabel, factNames, sayFact } from "../../../app/facts/facts.ts";
import { cx } from "../../ui/cx.ts";
import { RelativeTime } from "../../ui/RelativeTime.tsx";

type Props = {
  readonly facts: FactsView;
  readonly sources: FactSources;
  readonly confinement: Confinement | null;
};

/** Every fact with its source and its age, and how far the process with the model is confined. */
export function AllFacts({ facts, sources, confinement }: Props): ReactNode {
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
            <Source source={sources[name]} />
          </dd>
        </div>
      ))}
      <ConfinementRow confinement={confinement} />
    </dl>
  );
}

function ConfinementRow({ confinement }: Pick<Props, "confinement">): ReactNode {
  const { label, value, gaps } = describeConfinement(confinement);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3">
      <dt>{label}</dt>
      <dd
        className={cx(
          "max-w-56 text-right break-words",
          confinement === null ? "text-faint italic" : "font-medium",
        )}
      >
        {value}
      </dd>
      {gaps.map((gap) => (
        <dd key={gap} className="col-span-2 text-xs text-muted">
          {gap}
        </dd>
      ))}
    </div>
  );
}

function Source({ source }: { readonly source: FactSources[keyof FactSources] }): ReactNode {
  if (source === undefined) return "not checked yet";
  if (source.at === null) return source.source;
  return (
    <>
      {source.source}, <RelativeTime at={source.at} />
    </>
  );
}
