import { isGrammarTag } from "../grammar-version.ts";
import { kindWords } from "./job-kind.ts";
import { formatMebibytes } from "./quantity.ts";

/** A lane of the queue: the jobs of a kind with the same requirements. */
export type Lane = {
  readonly kind: string;
  readonly requirements: {
    readonly model?: string | undefined;
    readonly memoryMb?: number | undefined;
    readonly vramMb?: number | undefined;
    readonly gpu?: boolean | undefined;
    readonly contextTokens?: number | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly labels?: readonly string[] | undefined;
    readonly dataClass?: string | undefined;
  };
};

/** Names a lane by its model and its kind. A model has a lane for each kind of job. */
export function laneName({ kind, requirements }: Lane): string {
  return requirements.model === undefined ? kindWords(kind) : `${requirements.model} · ${kindWords(kind)}`;
}

/** Lists a lane's requirements other than its model. */
export function laneNeeds({ requirements }: Pick<Lane, "requirements">): readonly string[] {
  const { memoryMb, vramMb, gpu, contextTokens, tags = [], groups = [], labels = [] } = requirements;
  const { dataClass } = requirements;
  const anyGroup = groups.join(" or ");
  return [
    ...(dataClass === undefined ? [] : [/* @wc-include */ `data: ${dataClass}`]),
    ...(groups.length === 0 ? [] : [/* @wc-include */ `group: ${anyGroup}`]),
    ...(gpu === true ? ["GPU"] : []),
    ...(memoryMb === undefined ? [] : [formatMebibytes(memoryMb)]),
    ...(vramMb === undefined ? [] : [`${formatMebibytes(vramMb)} of GPU memory`]),
    ...(contextTokens === undefined ? [] : [`${String(contextTokens)} tokens`]),
    ...labels,
    ...tags.filter((tag) => !isGrammarTag(tag)),
  ];
}

/** The lane that the queue names so: JSON of its kind and its requirements. Null for anything else. */
export function parseLane(name: string): Lane | null {
  try {
    const [kind, requirements] = JSON.parse(name) as [Lane["kind"], Lane["requirements"]];
    return { kind, requirements };
  } catch {
    return null;
  }
}

/** A lane's name with its requirements, by the name that the queue gives it. Null for anything else. */
export function laneTitle(name: string): string | null {
  const lane = parseLane(name);
  return lane === null ? null : [laneName(lane), ...laneNeeds(lane)].join(", ");
}
