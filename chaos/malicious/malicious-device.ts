import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedJob } from "@gleaner/queue/validators";
import { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { grammarTag } from "../../app/grammar-version.ts";
import { api } from "../../convex/_generated/api.js";
import {
  makeSigningKey,
  registrationOf,
  signedAnswer,
  type SigningKey,
} from "../../convex/testing/signing.fixture.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { honest, type Lie, type Return } from "./lies.ts";

type Call = "take" | "complete" | "fail" | "release" | "append" | "goodbye";

/** So that requests end even if nothing stops a liar. */
const enoughJobs = 60;

/** The kinds of jobs that it takes, and what it does with each. */
export type Conduct = {
  readonly kinds: readonly ("chat" | "completion" | "embedding" | "replay")[];
  readonly tell: (job: ClaimedJob) => Lie | Promise<Lie>;
};

/** A device that was enrolled as any other, and speaks the protocol with its valid key. It need not tell the truth. */
export class MaliciousDevice {
  readonly deviceId: string;
  readonly #attempts = new Set<string>();
  readonly #client: ConvexHttpClient;
  readonly #key: string;
  readonly #signingKey: SigningKey;
  readonly #modelId: string;
  readonly #conduct: Conduct;
  #stopped = false;

  private constructor(
    client: ConvexHttpClient,
    device: {
      readonly key: string;
      readonly deviceId: string;
      readonly signingKey: SigningKey;
      readonly modelId: string;
    },
    conduct: Conduct,
  ) {
    this.#client = client;
    this.#key = device.key;
    this.deviceId = device.deviceId;
    this.#signingKey = device.signingKey;
    this.#modelId = device.modelId;
    this.#conduct = conduct;
  }

  /** The number of jobs that it was given. */
  get given(): number {
    return this.#attempts.size;
  }

  /** @param conduct what it does with each job, or with those of some kinds. */
  static async enroll(
    farm: Farm,
    name: string,
    conduct: Conduct | ((job: ClaimedJob) => Lie),
  ): Promise<MaliciousDevice> {
    const client = new ConvexHttpClient(farm.backend.url, {
      logger: false,
      skipConvexDeploymentUrlCheck: true,
    });
    const key = makeSecret("gd_");
    const signingKey = makeSigningKey();
    const outcome = await client.mutation(api.devices.enroll, {
      code: await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name),
      key,
      name,
      platform: "linux-x64",
      signingKey: registrationOf(signingKey, key),
    });
    if (outcome.kind !== "enrolled") throw new Error(`the device was not enrolled: ${outcome.kind}`);
    const { deviceId } = outcome;
    const device = new MaliciousDevice(
      client,
      { key, deviceId, signingKey, modelId: farm.modelId },
      "tell" in conduct ? conduct : { kinds: ["chat", "completion", "embedding"], tell: conduct },
    );
    await device.#start();
    await client.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
    return device;
  }

  async #start(): Promise<void> {
    const models = [this.#modelId];
    await this.#client.mutation(api.work.hello, {
      key: this.#key,
      version: "0.1.0",
      startup: true,
      capabilities: { kinds: [...this.#conduct.kinds], models, tags: [grammarTag], concurrency: 1 },
    });
  }

  /** Takes jobs and lies about each, until `stop`. Ends by itself when the backend gives it no more, or more than `most`. */
  async work(most = enoughJobs): Promise<void> {
    while (!this.#stopped && this.given < most) {
      const jobs = await this.#jobs();
      if (jobs === null) return;
      for (const job of jobs) {
        this.#attempts.add(job.attemptId);
        await this.#lieAbout(job);
      }
      if (jobs.length === 0) await sleep(20);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Null if it gets no more jobs. */
  async #jobs(): Promise<readonly ClaimedJob[] | null> {
    // The query may show a job that this device had before.
    const handed = await reconnecting(() => this.#client.query(api.work.handed, { key: this.#key }));
    const fresh = handed.filter(({ attemptId }) => !this.#attempts.has(attemptId));
    if (fresh.length > 0) return fresh;
    const taken = await this.#call("take", { demand: { jobs: 1 } });
    if (taken.kind === "unable") return taken.reason === "paused" ? null : [];
    return taken.jobs;
  }

  async #lieAbout(job: ClaimedJob): Promise<void> {
    const { attemptId } = job;
    const demand = { jobs: 0 };
    const lie = await this.#conduct.tell(job);
    try {
      if (lie.kind === "fail") await this.#call("fail", { attemptId, error: lie.error, demand });
      else if ("afterMs" in lie) await this.#return(job, lie);
      else await this.#answer(job, lie);
    } catch {
      // Its attempt goes on. A liar tries nothing else, and returns the job when it is asked for the next.
      await this.#call("release", { attemptIds: [attemptId], reason: "in-use", leave: false }).catch(
        () => null,
      );
    }
  }

  /** Does not do the job, and takes the next at once. A job that was already given to another device is over. */
  async #return(
    { attemptId, begun }: ClaimedJob,
    { kind, afterMs }: { readonly kind: Return; readonly afterMs: number },
  ): Promise<void> {
    await sleep(afterMs);
    if (kind === "restart" || kind === "goodbye") {
      if (kind === "goodbye") await this.#call("goodbye", {});
      await this.#start();
    } else if (kind === "release" || begun) {
      await this.#call("release", { attemptIds: [attemptId], reason: "in-use", leave: false });
    }
  }

  async #answer(job: ClaimedJob, lie: Extract<Lie, { kind: "answer" | "forge" }>): Promise<void> {
    const { attemptId, jobId, payload } = job;
    const { deviceId } = this;
    if (lie.kind === "answer" && lie.streams !== undefined) {
      await this.#call("append", { attemptId, seq: 0, text: lie.streams });
    }
    const told = lie.kind === "answer" ? lie : honest;
    const forges = lie.kind === "forge" ? lie.signature : null;
    const signed = signedAnswer(
      forges === "random" ? makeSigningKey() : this.#signingKey,
      { deviceId, attemptId: forges === "of another attempt" ? "another" : attemptId, jobId, payload },
      told,
    );
    const sent = forges === "none" ? told : signed;
    const args = { attemptId, ...sent, demand: { jobs: 0 } } as unknown as Arguments<"complete">;
    await this.#call("complete", args);
  }

  async #call<Name extends Call>(name: Name, args: Arguments<Name>): Promise<Answer<Name>> {
    // TypeScript cannot pair a name with its arguments here.
    const mutation = api.work[name] as FunctionReference<"mutation">;
    const call = (): Promise<unknown> => this.#client.mutation(mutation, { key: this.#key, ...args });
    return (await reconnecting(call)) as Answer<Name>;
  }
}

/** A busy system may reset a connection. A backend that has ended refuses the next ones too, so that the run fails. */
async function reconnecting<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      // fetch() throws it if there is no answer. Errors of functions are of other classes.
      if (!(error instanceof TypeError) || tries === 5) throw error;
      await sleep(500);
    }
  }
}

type Arguments<Name extends Call> = Omit<FunctionArgs<(typeof api.work)[Name]>, "key">;
type Answer<Name extends Call> = FunctionReturnType<(typeof api.work)[Name]>;
