import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { GateFacts } from "./download/gate.ts";
import { ModelStore, type ModelStoreDeps, type StoreRules } from "./model-store.ts";
import { OfficeNetwork, type OfficeNetworkDeps } from "./office/office-network.ts";
import type { SharingSecrets } from "./office/secrets.ts";
import { shelfOf } from "./office/shared-files.ts";

export type ModelsOptions = Omit<ModelStoreDeps, "neighbors"> & {
  readonly officeTest?: NonNullable<OfficeNetworkDeps["test"]>;
};

export type ModelsRules = StoreRules & Pick<Rules, "shareModels">;

/** A donor's models: downloads, storage, and sharing in the office if the rules allow it. */
export type Models = {
  readonly store: ModelStore;
  /** Sets the organization's models and the secrets by which its devices recognize each other. */
  readonly offer: (models: readonly OfferedModel[], sharing: SharingSecrets | null) => void;
  /** Updates facts and rules. Cheap; called at every decision. */
  readonly look: (facts: GateFacts, rules: ModelsRules) => void;
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
    shelf: shelfOf(store),
    files: () => store.given,
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
    look: (facts, rules) => {
      shared = rules.shareModels && facts.membership === "active";
      // Share before downloading, so that the download finds the office.
      share();
      store.look(facts, rules);
      network.filesChanged();
    },
    stop: async () => {
      await store.stop();
      await network.stop();
    },
  };
}
