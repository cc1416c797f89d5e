import { generateKeyPairSync, randomBytes } from "node:crypto";
import { UnknownWorkerError } from "@gleaner/queue/worker";
import type { ConvexClient } from "convex/browser";
import { ConvexError } from "convex/values";
import { expect, it, vi } from "vitest";
import { silentLog } from "../../log.ts";
import { connectOrganization, type Me } from "./organization.ts";
import { Signer } from "./signer.ts";

const identity = {
  deviceKey: `gd_${randomBytes(32).toString("base64url")}`,
  signer: new Signer(generateKeyPairSync("ed25519").privateKey),
};
const judge = vi.fn(() => []);

function connect(client: object) {
  const trust = { judge, accepts: () => true };
  return connectOrganization(client as ConvexClient, identity, trust, silentLog);
}

/** The answer of `devices:me` as the listener gets it. */
function heard(answer: object): Me {
  const listener = vi.fn<(me: Me) => void>();
  const onUpdate = (_query: unknown, _args: unknown, tell: (answer: object) => void) => tell(answer);
  connect({ onUpdate }).onMe(listener, () => undefined);
  return listener.mock.calls[0]![0];
}

const answer = {
  deviceId: "d",
  name: "laptop",
  signingKey: null,
  status: "retired",
  organization: { id: "", name: "" },
  needsVersion: null,
  models: [],
  catalog: null,
  policy: { values: {}, locked: [] },
  sharing: null,
};

const model = (modelId: string) => ({
  modelId,
  sha256: "ab".repeat(32),
  sizeBytes: 1_000,
  contextTokens: 512,
  source: "bundled",
  licence: "",
  template: null,
});

it("has no name of the organization and no models if the device is retired", () => {
  expect(heard(answer)).toMatchObject({ status: "retired", organizationName: null, models: [] });
});

it("accepts no models with a status that this version does not know", () => {
  const organization = { id: "o", name: "Acme" };
  expect(heard({ ...answer, organization, status: "new" })).toMatchObject({
    organizationName: "Acme",
    models: [],
  });
  expect(judge).not.toHaveBeenCalled();
  heard({ ...answer, organization, status: "active" });
  expect(judge).toHaveBeenCalledOnce();
});

it("leaves out the models that the organization does not allow this device", () => {
  const listed = (limits: object | null) => {
    judge.mockReturnValueOnce(["a", "b"].map(model) as never);
    const organization = { id: "o", name: "Acme" };
    return heard({ ...answer, organization, status: "active", limits }).models.map(({ modelId }) => modelId);
  };
  expect(listed(null)).toEqual(["a", "b"]);
  expect(listed({ models: ["b"] })).toEqual(["b"]);
  expect(listed({ models: [] })).toEqual([]);
  expect(listed({ gpu: false })).toEqual(["a", "b"]);
});

it("leaves out the models that are held back from this device, after it judged the signed list as a whole", () => {
  const listed = (heldBack: unknown) => {
    judge.mockReturnValueOnce(["a", "b"].map(model) as never);
    const organization = { id: "o", name: "Acme" };
    const models = ["a", "b"].map(model);
    const me = heard({ ...answer, organization, status: "active", models, heldBack });
    expect(judge).toHaveBeenLastCalledWith({ organizationId: "o", models, signature: null });
    return [me.models.map(({ modelId }) => modelId), me.heldBack];
  };
  expect(listed(["a"])).toEqual([["b"], ["a"]]);
  expect(listed([])).toEqual([["a", "b"], []]);
  expect(listed(["c"])).toEqual([["a", "b"], ["c"]]);
  // An older backend does not send it.
  expect(listed(undefined)).toEqual([["a", "b"], []]);
});

it("tells a retired device that enrolls again with the same key that it is retired, and passes other errors on", async () => {
  const enrollWith = (code: string) =>
    connect({ mutation: () => Promise.reject(new ConvexError({ code })) }).enroll("GLN-1", "laptop", "linux");
  expect(await enrollWith("retired")).toEqual({ kind: "refused", reason: "retired" });
  await expect(enrollWith("rate_limited")).rejects.toThrow(ConvexError);
});

it("takes the refusal of a retired device's reports for final, and passes other errors on", async () => {
  const reportWith = (code: string) => {
    const { report, reportModels } = connect({
      mutation: () => Promise.reject(new ConvexError({ code })),
    });
    return [report({ activity: { kind: "standby", reason: "retired" } }), reportModels([])];
  };
  for (const refused of reportWith("retired")) await expect(refused).rejects.toThrow(UnknownWorkerError);
  for (const refused of reportWith("invalid")) await expect(refused).rejects.toThrow(ConvexError);
});

it("reports the facts and the version that did not work here, and leaves out what there is not", async () => {
  const mutation = vi.fn((_function: unknown, _args: object) => Promise.resolve(null));
  const { report } = connect({ mutation });
  const activity = { kind: "standby", reason: "in-use" } as const;
  await report({ activity, unknownFacts: ["power"], rolledBackVersion: "0.3.0" });
  await report({ activity });
  const [key, sent] = [identity.deviceKey, { kind: "holding", reason: "in-use" }];
  expect(mutation.mock.calls.map(([, args]) => args)).toEqual([
    { key, activity: sent, unknownFacts: ["power"], rolledBackVersion: "0.3.0" },
    { key, activity: sent },
  ]);
});
