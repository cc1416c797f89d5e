import { afterEach, beforeEach, expect, it } from "vitest";
import type { Role } from "../../app/people/roles.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { addOrganization, type Backend, expectRefusal, signIn } from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let session: string;

const views = api.console.fleet.views;

beforeEach(async () => {
  ({ t, session } = await openWorld());
});

afterEach(closeWorld);

const lab = { q: "lab", state: "offline", sort: "changed", columns: "name,activity" };

async function save(name: string, shared = false, by = session): Promise<Id<"deviceViews">> {
  return await t.mutation(views.save, { session: by, name, view: lab, shared });
}

const names = async (by = session) => (await t.query(views.list, { session: by })).map(({ name }) => name);

const join = async (name: string, roles: readonly Role[]) => await joinAs(t, session, { name, roles });

async function entries(): Promise<readonly string[]> {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page
    .filter(({ action }) => action.startsWith("device-view"))
    .map(({ action, detail }) => `${action}: ${detail ?? ""}`)
    .reverse();
}

it("keeps a member's view of filters, order and columns for that member only", async () => {
  await save("Lab, offline");
  const [row] = await t.query(views.list, { session });
  expect(row).toMatchObject({ name: "Lab, offline", view: lab, shared: false, isOwn: true, mayChange: true });
  const ada = await join("Ada", ["admin"]);
  expect(await names(ada.session)).toEqual([]);
  await expectRefusal(t.mutation(views.remove, { session: ada.session, viewId: row!.viewId }), "not_found");
  expect(await entries()).toEqual([]);
});

it("shares a view with all who see all devices, and records that", async () => {
  const viewId = await save("Lab");
  await t.mutation(views.change, { session, viewId, shared: true });
  const auditor = await join("Ada", ["auditor"]);
  const donor = await join("Ben", ["donor"]);
  const [seen] = await t.query(views.list, { session: auditor.session });
  expect(seen).toMatchObject({ name: "Lab", isOwn: false, mayChange: false, shared: true });
  expect(await names(donor.session)).toEqual([]);
  await t.mutation(views.change, { session, viewId, view: { group: "Lab" } });
  await t.mutation(views.change, { session, viewId, shared: false });
  expect(await names(auditor.session)).toEqual([]);
  expect(await entries()).toEqual([
    "device-view.shared: Lab",
    "device-view.changed: view: q=lab state=offline sort=changed columns=name,activity → group=Lab",
    "device-view.unshared: Lab",
  ]);
});

it("lets only those who may change devices share a view or change a shared one", async () => {
  const auditor = await join("Ada", ["auditor"]);
  const operator = await join("Ben", ["operator"]);
  await expectRefusal(save("Mine", true, auditor.session), "forbidden");
  await save("Mine", false, auditor.session);
  const viewId = await save("Lab", true);
  const rename = async (by: string) =>
    await t.mutation(views.change, { session: by, viewId, name: "Laboratory" });
  await expectRefusal(rename(auditor.session), "forbidden");
  expect(await rename(operator.session)).toEqual({ name: "Lab", view: lab, shared: true });
  expect(await names(auditor.session)).toEqual(["Laboratory", "Mine"]);
});

it("renames, overwrites and deletes a view, and gives back what was there for an undo", async () => {
  const viewId = await save("Lab");
  await t.mutation(views.change, { session, viewId, name: "Office" });
  const before = await t.mutation(views.change, { session, viewId, view: { q: " " } });
  expect(before).toMatchObject({ name: "Office", view: lab });
  expect((await t.query(views.list, { session }))[0]?.view).toEqual({});
  const removed = await t.mutation(views.remove, { session, viewId });
  expect(await names()).toEqual([]);
  await t.mutation(views.save, { session, ...removed });
  expect(await names()).toEqual(["Office"]);
});

it("bounds the number of views, their names and their parts", async () => {
  await save("Lab");
  await expectRefusal(save("Lab"), "conflict");
  await expectRefusal(save(" "), "invalid");
  await expectRefusal(
    t.mutation(views.save, { session, name: "Long", view: { group: "x".repeat(201) }, shared: false }),
    "invalid",
  );
  for (let at = 1; at < 50; at += 1) await save(`View ${String(at)}`);
  await expectRefusal(save("One more"), "conflict");
});

it("keeps the shared views of a member who leaves, and deletes the others", async () => {
  const ada = await join("Ada", ["operator"]);
  await save("Private", false, ada.session);
  await save("Shared", true, ada.session);
  await t.mutation(api.console.people.remove, { session, memberId: ada.memberId });
  expect(await names()).toEqual(["Shared"]);
  const stored = await t.run(async (ctx) => await ctx.db.query("deviceViews").collect());
  expect(stored.map(({ name }) => name)).toEqual(["Shared"]);
});

it("shows another organization no views", async () => {
  const viewId = await save("Lab", true);
  const stranger = await signIn(t, await addOrganization(t, { name: "Other" }));
  expect(await names(stranger)).toEqual([]);
  await expectRefusal(t.mutation(views.remove, { session: stranger, viewId }), "not_found");
});
