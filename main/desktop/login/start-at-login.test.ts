import { expect, it, vi } from "vitest";
import { done } from "../../../app/contract/donor-calls.ts";
import { effectiveRules, type SomeRules } from "../../../app/policy/rule-layers.ts";
import { defaultRules, type RuleName } from "../../../app/policy/rules.ts";
import { initialSnapshot } from "../../donor/reports/views.ts";
import { createSnapshotStore } from "../../face/snapshot-store.ts";
import { followStartAtLogin, type FoundItem, stepAtStart } from "./start-at-login.ts";

type Layers = { donor?: SomeRules; values?: SomeRules; locked?: readonly RuleName[] };

function effective({ donor = {}, values = {}, locked = [] }: Layers) {
  return effectiveRules({ base: defaultRules, donor, organization: { values, locked } });
}

function ruled(layers: Layers) {
  const { rules, ...ruleLayers } = effective(layers);
  return { rules, ruleLayers };
}

const yes = { startAtLogin: true };
const no = { startAtLogin: false };
const lock: readonly RuleName[] = ["startAtLogin"];

it.each<[string, Layers, FoundItem, string]>([
  ["nothing without a choice", {}, "absent", "none"],
  ["nothing after a no", { donor: no }, "absent", "none"],
  ["remove an item that is not wanted", { donor: no }, "on", "remove"],
  ["remove one that is not wanted and turned off", {}, "off", "remove"],
  ["renew a wanted item, because the program may have moved", { donor: yes }, "on", "add"],
  ["accept that the person turned it off", { donor: yes }, "off", "decline"],
  ["accept that the person removed it", { donor: yes }, "absent", "decline"],
  ["follow a new suggestion", { values: yes }, "absent", "add"],
  ["accept that the person turned a suggestion off", { values: yes }, "off", "decline"],
  ["restore a locked item", { values: yes, locked: lock }, "absent", "add"],
  ["turn a locked item on again", { values: yes, locked: lock }, "off", "add"],
  ["remove an item that is locked off", { donor: yes, values: no, locked: lock }, "on", "remove"],
])("the program starts: %s", (_what, layers, found, step) => {
  expect(stepAtStart(ruled(layers), found)).toBe(step);
});

function following(start: Layers, found: FoundItem, add = () => Promise.resolve()) {
  const settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };
  const program = { name: "Ada's", version: "1.0.0", shell: "desktop", canStartAtLogin: true } as const;
  const snapshot = createSnapshotStore(initialSnapshot(program, settings, effective(start), null));
  const acts: string[] = [];
  const setRules = vi.fn((rules: SomeRules) => {
    acts.push(JSON.stringify(rules));
    return done;
  });
  followStartAtLogin({
    item: {
      find: () => Promise.resolve(found),
      add: () => {
        acts.push("add");
        return add();
      },
      remove: () => {
        acts.push("remove");
        return Promise.resolve();
      },
    },
    snapshot,
    setRules,
    log: () => undefined,
  });
  return { snapshot, acts, become: (layers: Layers) => snapshot.update(ruled(layers)) };
}

it("follows each change of the rule, in order, and no other change", async () => {
  const { snapshot, acts, become } = following({}, "absent");
  become({ donor: yes });
  become({ donor: { ...yes, quiet: true } });
  become({ donor: no });
  snapshot.update({ connection: "online" });
  await vi.waitFor(() => expect(acts).toEqual(["add", "remove"]));
});

it("turns an item that the person removed into their choice", async () => {
  const { acts } = following({ donor: yes }, "absent");
  await vi.waitFor(() => expect(acts).toEqual(['{"startAtLogin":false}']));
});

it("shows why the system refused, until it accepts", async () => {
  const refusal = Object.assign(new Error("EACCES: permission denied, open '/home/ada/.config/autostart'"), {
    syscall: "open",
  });
  const answers = [() => Promise.reject(refusal), () => Promise.resolve()];
  const { snapshot, become } = following({}, "absent", () => answers.shift()!());
  become({ donor: yes });
  await vi.waitFor(() =>
    expect(snapshot.get().startAtLogin?.problem).toContain("(EACCES: permission denied)"),
  );
  become({ donor: no });
  become({ donor: yes });
  await vi.waitFor(() => expect(snapshot.get().startAtLogin).toEqual({ problem: null }));
});
