import { done, refusedFor, type Reply } from "../../app/contract/donor-calls.ts";
import type { Facts } from "../../app/facts/facts.ts";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { ModelStore, type ModelStoreDeps } from "./model-store.ts";
import { OfficeNetwork, type OfficeNetworkDeps } from "./office/office-network.ts";
import type { SharingSecrets } from "./office/secrets.ts";
import { sharedFilesOf } from "./office/shared-files.ts";

type ModelsOptions = Omit<ModelStoreDeps, "neighbors"> & {
  readonly officeTest?: NonNullable<OfficeNetworkDeps["test"]>;
};

/** A donor's models: downloads, storage, and sharing in the office if the rules allow it. */
export type Models = {
  readonly store: ModelStore;
  /** Sets the organization's models and the secrets by which its devices recognize each other. */
  readonly offer: (models: readonly OfferedModel[], sharing: SharingSecrets | null) => void;
  /** Updates facts and rules. Cheap; called at every decision. */
  readonly update: (facts: Facts, rules: Rules) => void;
  /** Implements `gleaner downloads remove`. */
  readonly remove: (modelId: string) => Promise<Reply>;
  /** Implements `gleaner downloads fetch`. */
  readonly fetch: (modelId: string) => Promise<Reply>;
  readonly stop: () => Promise<void>;
};

export async function openModels(deps: ModelsOptions): Promise<Models> {
  const { log, officeTest } = deps;
  let office: OfficeNetwork | null = null;
  const store = await ModelStore.open({
    ...deps,
    neighbors: (model, pieceBytes) => office?.neighbors(model, pieceBytes) ?? null,
    onChange: () => {
      office?.filesChanged();
      deps.onChange();
    },
  });
  office = new OfficeNetwork({
    shared: sharedFilesOf(store),
    files: () => store.announced,
    log,
    ...(officeTest === undefined ? {} : { test: officeTest }),
  });
  const network = office;
  let sharing: SharingSecrets | null = null;
  let shared = false;
  const share = (): void => network.share(shared ? sharing : null);
  return {
    store,
    offer: (models, secrets) => {
      sharing = secrets;
      share();
      store.offer(models);
    },
    update: (facts, rules) => {
      shared = rules.shareModels && facts.membership === "active";
      // Share before downloading, so that the download finds the office.
      share();
      store.update(facts, rules);
      network.filesChanged();
    },
    remove: (modelId) => removeModel(store, modelId),
    fetch: async (modelId) => {
      const { kind } = await store.fetch(modelId);
      return kind === "ok" ? done : refusedFor("model-not-offered");
    },
    stop: async () => {
      await store.stop();
      await network.stop();
    },
  };
}

async function removeModel(store: ModelStore, modelId: string): Promise<Reply> {
  if (store.list().some((one) => one.modelId === modelId && store.isBundled(one)))
    return refusedFor("model-bundled");
  const answer = await store.remove(modelId);
  if (answer.kind === "ok") return done;
  return refusedFor(answer.reason === "running" ? "model-in-use" : "model-not-here");
}
